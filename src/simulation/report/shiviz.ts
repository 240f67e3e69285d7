/**
 * @module
 * A trace as a log for ShiViz (Beschastnikh et al., "Visualizing distributed system executions",
 * TOSEM 29(2), 2020). Such a file begins with the regular expression that reads it and an empty line for a
 * delimiter of executions, and then has two lines for each event. ShiViz knows no messages and finds their
 * arrows from the clocks, so that a loss is described at its sending.
 */

import type { Happening, TraceRecord } from '../engine/trace.ts';
import type { Remark } from '../trace/describe.ts';
import { describeEvent, describeObstacle, endpointName, STORE } from '../trace/describe.ts';
import type { TracedFlight } from '../trace/events.ts';
import { traceEvents } from '../trace/events.ts';
import type { VectorClock } from '../trace/vector-clocks.ts';
import { createClockWriter, vectorClocks } from '../trace/vector-clocks.ts';
import type { WrittenPart } from '../trace/view.ts';
import { PART_RECORDS } from '../trace/view.ts';

/** ShiViz puts it between ^ and $, with many lines; `tick` becomes a field of the event. */
const SHIVIZ_PARSER = String.raw`(?<host>\S*) (?<clock>{.*})\n(?<tick>\d*) (?<event>.*)`;
/** No host is a bare number, which a page's own selectors might not take. */
const HOST = 'node';

/**
 * The lines of a trace, each with its line feed; `store` is the number of its store, a host of its own. The clocks of a
 * part count the events of this part. Empty lines are parts of the work. Throws LabError `job.size` for more nodes or events
 * than vector clocks are made for.
 */
export function* shivizLines(
  records: readonly TraceRecord<Happening>[],
  nodes: number,
  { store = null, view }: WrittenPart = {},
): Generator<string, void, undefined> {
  const events = vectorClocks(records, nodes, { store });
  const hosts = Array.from({ length: store ?? nodes }, (_, index) =>
    index + 1 === store ? STORE : `${HOST}${index + 1}`,
  );
  const written = createClockWriter(hosts);
  const remark = yield* remarksOf(records, store);
  yield `${SHIVIZ_PARSER}\n`;
  yield '\n';
  const counts = new ShownCounts(hosts.length);
  let hidden = 0;
  for (const event of events) {
    const { node, record } = event;
    if (node === null) continue;
    const isShown = view?.shows(record) !== false;
    const clock = view === undefined ? event.clock : counts.after(node, event.clock, isShown);
    if (!isShown) {
      hidden += 1;
      if (hidden % PART_RECORDS === 0) yield '';
      continue;
    }
    yield `${hosts[node - 1]} ${written(clock)}\n`;
    yield `${record.t} ${onOneLine(describeEvent(event, store, remark))}\n`;
  }
}

/** ShiViz wants clocks that count each event of the log, and no other. */
class ShownCounts {
  /** By host: how many of its first events are shown, by their number. */
  readonly #shown: readonly number[][];

  constructor(hosts: number) {
    this.#shown = Array.from({ length: hosts }, () => [0]);
  }

  /** Counts an event of a node. Returns its clock without what is not shown. */
  after(node: number, clock: VectorClock, isShown: boolean): VectorClock {
    const own = this.#shown[node - 1];
    own?.push((own.at(-1) ?? 0) + (isShown ? 1 : 0));
    return this.#shown.map((counts, index) => counts[clock[index] ?? 0] ?? 0);
  }
}

/** What the network did to each message, as a remark on its sending: ` (lost, 3 is down)`. */
function* remarksOf(
  records: readonly TraceRecord<Happening>[],
  store: number | null,
): Generator<string, Remark, void> {
  const remarks = new Map<number, string[]>();
  const originals = new Map<number, number>();
  let read = 0;
  for (const { record, node, flight, made } of traceEvents(records)) {
    read += 1;
    if (read % PART_RECORDS === 0) yield '';
    if (node !== null || flight === null) continue;
    const original = originals.get(flight.id) ?? flight.id;
    for (const copy of made) originals.set(copy.id, original);
    const fate = fateOf(record, flight, store);
    remarks.set(original, [...(remarks.get(original) ?? []), fate]);
  }
  return (id) => {
    const fates = remarks.get(id);
    return fates === undefined ? '' : ` (${fates.join(', ')})`;
  };
}

function fateOf(
  { action, lost }: TraceRecord<Happening>,
  { id, to }: TracedFlight,
  store: number | null,
): string {
  if (action.type === 'duplicate') return 'copied';
  const isDropped = action.type === 'drop';
  const obstacle = lost === undefined ? 'lost' : `lost, ${describeObstacle(lost)}`;
  const fate = isDropped ? obstacle : `lost, ${endpointName(to, store)} is down`;
  return id < 0 ? `copy ${fate}` : fate;
}

/** A character that `.` of the parser does not match would end the event. */
function onOneLine(text: string): string {
  return text.replace(/[\n\r\u2028\u2029]/g, ' ');
}
