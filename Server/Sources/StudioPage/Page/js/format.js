// Numbers, sizes, times and texts as the page shows them.
const GROUP = new Intl.NumberFormat("en");

/** A count with separators, such as 1,048,576. */
export const count = (number) => GROUP.format(number);

/** The digits of an integer in groups of three, separated by thin spaces. All digits are kept. */
export const grouped = (digits) => (digits.replace("-", "").length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, "\u2009"));

const SIZES = ["B", "KB", "MB", "GB", "TB"];

/** A number of bytes, such as 476 MB. */
export function bytes(number) {
  let step = 0, value = number;
  while (value >= 1000 && step < SIZES.length - 1) { value /= 1000; step++; }
  return `${step && value < 10 ? value.toFixed(1) : Math.round(value)} ${SIZES[step]}`;
}

/** The size of a page, such as 4 KiB. */
export const pageSize = (number) => (number % 1024 ? bytes(number) : `${number / 1024} KiB`);

/** A duration in milliseconds, such as 1.9 ms or 4 s. */
export function duration(ms) {
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} days`;
}

/** The time that has passed since a point in time. */
export function since(at) {
  const ms = Math.max(0, Date.now() - at);
  return ms < 1000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms);
}

export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

const two = (number) => String(number).padStart(2, "0");
const zones = new Map();
export const times = { zone: null };

/** The time zone of the status line. */
export const zoneName = () => times.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

function zoneFormat(zone) {
  if (!zones.has(zone)) {
    zones.set(zone, new Intl.DateTimeFormat("en-US", {
      timeZone: zone, calendar: "gregory", era: "short", year: "numeric", month: "2-digit", day: "2-digit",
      hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
    }));
  }
  return zones.get(zone);
}

const offsets = new Map();
const QUARTER = 900, FAST_FROM = 100_000_000, FAST_TO = 250_000_000_000;

/** The offset of a zone in seconds. Since 1973, offsets change at the quarters of an hour only. */
function offsetOf(seconds, zone) {
  const key = `${Math.floor(seconds / QUARTER)} ${zone}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    const parts = Object.fromEntries(zoneFormat(zone).formatToParts(new Date(seconds * 1000)).map((part) => [part.type, Number(part.value)]));
    offset = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) / 1000 - seconds;
    if (offsets.size > 50_000) offsets.clear();
    offsets.set(key, offset);
  }
  return offset;
}

/** The date and time of day in a zone, as 2026-11-27 21:40:00.169. A date outside of the calendar is a number of seconds. */
export function moment([secondsText, nanoseconds], zone = zoneName()) {
  const seconds = BigInt(secondsText);
  const fraction = nanoseconds ? `.${String(nanoseconds).padStart(9, "0").replace(/(?:000){1,2}$/, "")}` : "";
  const number = Number(seconds);
  if (number >= FAST_FROM && number < FAST_TO) return `${new Date((number + offsetOf(number, zone)) * 1000).toISOString().slice(0, 19).replace("T", " ")}${fraction}`;
  if (seconds > 8_640_000_000_000n || seconds < -8_640_000_000_000n) return `${secondsText} s since 1970${fraction}`;
  const parts = Object.fromEntries(zoneFormat(zone).formatToParts(new Date(Number(seconds) * 1000)).map((part) => [part.type, part.value]));
  const year = parts.era.startsWith("B") ? 1 - Number(parts.year) : Number(parts.year);
  const text = year < 0 ? `−${String(-year).padStart(4, "0")}` : String(year).padStart(4, "0");
  return `${text}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}:${parts.second}${fraction}`;
}

/** UTC and the digits of the file, for tooltips. */
export function exactMoment(value) {
  return `${moment(value, "UTC")} UTC\nseconds ${value[0]}, nanoseconds ${value[1]}`;
}

/** A point in time of the program's clock, in milliseconds. */
export function clock(at) {
  const whole = Math.floor(at / 1000);
  return moment([String(whole), Math.round(at - whole * 1000) * 1_000_000]);
}

/** Hours and minutes of a point in time. */
export function hour(at) {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

// Controls, marks of direction, spaces without width, line separators, and halves of surrogate pairs.
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" };
const escaped = (character) => SHORT[character] ?? `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`;

/** A text with escapes in the place of characters that can't be seen. */
export const plain = (text) => text.replace(UNSEEN, escaped);

/** The pieces of a text: `[text, isEscape]`. */
export function pieces(text) {
  const result = [];
  let end = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > end) result.push([text.slice(end, match.index), false]);
    result.push([escaped(match[0]), true]);
    end = match.index + match[0].length;
  }
  if (end < text.length || !result.length) result.push([text.slice(end), false]);
  return result;
}
