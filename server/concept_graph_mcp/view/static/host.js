// The conversation with an MCP host, which shows this page in a frame (MCP Apps, 2026-01-26).

const PROTOCOL = "2026-01-26";

/** Shake hands with the host; hear.result(toolResult) and hear.context(hostContext) are told. */
export function connect(hear) {
  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const answers = {
    "ui/notifications/tool-result": (params) => hear.result(params),
    "ui/notifications/host-context-changed": (params) => hear.context(params),
  };

  addEventListener("message", (event) => {
    if (event.source !== parent) return;
    const { id, method, params, result } = event.data ?? {};
    if (id === 1 && result) {
      hear.context(result.hostContext ?? {});
      send({ method: "ui/notifications/initialized", params: {} });
      tellSize(send);
    } else if (method in answers) {
      answers[method](params ?? {});
    } else if (id !== undefined && (method === "ping" || method === "ui/resource-teardown")) {
      send({ id, result: {} });
    }
  });

  const appInfo = { name: "concept-graph-mcp", version: "1" };
  const appCapabilities = { availableDisplayModes: ["inline", "fullscreen"] };
  send({ id: 1, method: "ui/initialize", params: { protocolVersion: PROTOCOL, appInfo, appCapabilities } });
}

function tellSize(send) {
  const { width, height } = document.body.getBoundingClientRect();
  send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
}
