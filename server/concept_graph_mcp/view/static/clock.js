// Times, in words.

/** Return a function that words a time (unix ms) in *timeZone*. */
export function calendar(timeZone) {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone, day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
  });
  return (time) => (time ? format.format(time) : "no date");
}
