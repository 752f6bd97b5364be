// Makes what the server serves from src/ and the packages in package-lock.json:
//   node build.mjs [DIRECTORY]
// The same input gives the same bytes, on every machine; a test compares them with what is checked in.

import { build } from "esbuild";
import { copyFile, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const src = join(here, "src");
const out = resolve(process.argv[2] ?? join(here, "../concept_graph_mcp/view/static"));

/** Return {text, packages}: the file *name* with all that it imports, and the directories of those packages. */
async function bundled(name) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: here,
    entryPoints: [join(src, name)],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    target: name.endsWith(".js") ? "es2022" : "esnext",
    charset: "utf8",
    // The licences are kept whole in a file of their own.
    legalComments: "none",
  });
  const packages = Object.keys(Object.values(metafile.outputs)[0].inputs)
    .map((input) => input.match(/^node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0])
    .filter(Boolean);
  return { text: outputFiles[0].text, packages };
}

/** Return the name, version and licence of each of *packages*, with the text that it comes with. */
async function licences(packages) {
  const parts = [...new Set(packages)].sort().map(async (directory) => {
    const { name, version, license, author } = JSON.parse(await readFile(join(here, directory, "package.json"), "utf8"));
    const file = (await readdir(join(here, directory))).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
    const text = file
      ? (await readFile(join(here, directory, file), "utf8")).replaceAll("\r\n", "\n").trim()
      : `Copyright ${author.name ?? author}, who names the licence, but brings no text of it.`;
    return `## ${name} ${version} (${license})\n\n${text}\n`;
  });
  return `What the page is made of besides its own sources.\n\n${(await Promise.all(parts)).join("\n")}`;
}

const [page, style] = await Promise.all(["app.js", "style.css"].map(bundled));
await mkdir(out, { recursive: true });
await Promise.all([
  copyFile(join(src, "index.html"), join(out, "index.html")),
  copyFile(join(src, "icon.svg"), join(out, "icon.svg")),
  writeFile(join(out, "page.js"), page.text),
  writeFile(join(out, "page.css"), style.text),
  writeFile(join(out, "LICENSES.txt"), await licences(page.packages)),
]);
