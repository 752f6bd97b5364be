// The slider's time, in words.

const DAY_H = 24;

export const HOUR_MS = 3_600_000;

/** "now", "in 6 h", "in 3 d 12 h". */
export function ahead(hours) {
  if (hours === 0) return "now";
  const days = Math.floor(hours / DAY_H);
  const rest = hours % DAY_H;
  return ["in", days ? `${days} d` : "", rest ? `${rest} h` : ""].filter(Boolean).join(" ");
}

/** Return a function that words a time (unix ms) in *timeZone*. */
export function calendar(timeZone) {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone, day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
  });
  return (time) => (time ? format.format(time) : "no date");
}
