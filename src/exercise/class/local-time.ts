/**
 * @module
 * Times in documents: ISO 8601 with an offset, or in the time zone of the document (a name of the IANA database). A
 * local time that does not exist or occurs twice, because clocks are changed, is refused.
 */

const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?(?:(Z)|([+-])(\d\d):(\d\d))?$/;
const FORM = 'must be a time such as 2026-10-15T23:59, or 2026-10-15T23:59+02:00';
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Whether this is the name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return formatFor(name) !== null;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Milliseconds since 1970 of a time in a zone, or what is wrong with its text. */
export function instantOf(text: string, zone: string): number | string {
  const [, ...parts] = TIME.exec(text) ?? [];
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(0, 6)
    .map((part) => Number(part ?? 0));
  const isValid = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  if (parts.length === 0 || !isValid || hour > 23 || minute > 59 || second > 59) return FORM;
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
  const [utc, sign, hours, minutes] = parts.slice(6);
  if (utc !== undefined) return asUtc;
  if (sign === undefined) return inZone(asUtc, zone);
  const offset = 60 * Number(hours) + Number(minutes);
  if (offset > 14 * 60 || Number(minutes) > 59) return FORM;
  return asUtc - Number(`${sign}1`) * offset * MINUTE_MS;
}

/** A moment as a clock in the zone shows it, such as 2026-10-15 23:59, with its offset if the text occurs twice. */
export function localText(ms: number, zone: string): string {
  const { year = '', month, day, hour, minute, second } = shownAt(ms, zone);
  const date = `${year.padStart(4, '0')}-${month}-${day}`;
  const time = `${hour}:${minute}${second === '00' ? '' : `:${second}`}`;
  if (typeof instantOf(`${date}T${time}`, zone) === 'number') return `${date} ${time}`;
  const offset = offsetAt(ms - (ms % 1_000), zone) / HOUR_MS;
  return `${date} ${time} (UTC${offset < 0 ? '' : '+'}${offset} h)`;
}

function inZone(asUtc: number, zone: string): number | string {
  const offsets = [asUtc - DAY_MS, asUtc + DAY_MS].map((ms) => offsetAt(ms, zone));
  const instants = new Set(
    offsets.map((offset) => asUtc - offset).filter((ms) => ms + offsetAt(ms, zone) === asUtc),
  );
  const [instant] = instants;
  if (instant === undefined) return `must exist: clocks in ${zone} skip this time`;
  if (instants.size > 1) return `must have an offset: it occurs twice in ${zone}`;
  return instant;
}

/** What a clock in the zone shows minus UTC, in ms. */
function offsetAt(ms: number, zone: string): number {
  const shown = Object.entries(shownAt(ms, zone)).map(([type, value]) => [type, Number(value)]);
  const {
    year = 0,
    month = 1,
    day = 1,
    hour = 0,
    minute = 0,
    second = 0,
  } = Object.fromEntries(shown);
  return Date.UTC(year, month - 1, day, hour, minute, second) - ms;
}

/** The digits of a clock in the zone, by their units. */
function shownAt(ms: number, zone: string): Readonly<Record<string, string>> {
  const parts = formatFor(zone).formatToParts(ms);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const two = '2-digit';
  return new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: two, day: two, hour: two, minute: two, second: two },
  });
}

function daysIn(year: number, month: number): number {
  return (Date.UTC(year, month, 1) - Date.UTC(year, month - 1, 1)) / DAY_MS;
}
