/**
 * @module
 * The picture of a history of clients: a row for each client, a bar from the call to the return of
 * each operation, and the operation in words above it. An operation without an outcome has an open end.
 */

import type { History } from '../../checking/histories/history.ts';
import {
  element,
  escapeXml,
  group,
  title,
} from '../../simulation/report/space-time/svg-elements.ts';

const ROW_HEIGHT = 44;
const BAR_HEIGHT = 12;
const LEFT = 90;
const TOP = 40;
const MARGIN = 24;
const CHARACTER_WIDTH = 7;
const STEP_MIN = 40;

interface Bar {
  readonly client: string;
  readonly text: string;
  readonly from: number;
  /** Null without an outcome. */
  readonly to: number | null;
}

/** One SVG document without scripts, styles and fonts. Times are in order, but not to scale. */
export function historySvg<Input, Output>(
  heading: string,
  history: History<Input, Output>,
  describe: (input: Input, output: Output | null) => string,
): string {
  const bars = history.map(
    ({ client, input, call, returned }): Bar => ({
      client: String(client),
      text: describe(input, returned?.output ?? null),
      from: call,
      to: returned?.at ?? null,
    }),
  );
  const clients = [...new Set(bars.map(({ client }) => client))];
  const times = [...new Set(bars.flatMap(({ from, to }) => (to === null ? [from] : [from, to])))];
  times.sort((one, other) => one - other);
  const longest = Math.max(1, ...bars.map(({ text }) => text.length));
  const step = Math.max(STEP_MIN, longest * CHARACTER_WIDTH);
  const x = (time: number | null) =>
    LEFT + (time === null ? times.length : times.indexOf(time)) * step;
  const width = Math.max(x(null) + MARGIN, heading.length * CHARACTER_WIDTH + 2 * MARGIN);
  const height = TOP + clients.length * ROW_HEIGHT + MARGIN;
  const rows = clients.map((client, index) =>
    element('text', { x: MARGIN, y: TOP + index * ROW_HEIGHT + 28 }, escapeXml(`client ${client}`)),
  );
  const marks = bars.map(({ client, text, from, to }) => {
    const y = TOP + clients.indexOf(client) * ROW_HEIGHT;
    const size = { x: x(from), y: y + 18, width: x(to) - x(from), height: BAR_HEIGHT };
    const dashes = to === null ? { 'stroke-dasharray': '4 3' } : {};
    const times = to === null ? `from ${from}, no outcome` : `${from} to ${to}`;
    return group('g', {}, [
      title(`client ${client}: ${text}, ${times}`),
      element('rect', { ...size, fill: '#ddd', stroke: '#000', ...dashes }),
      element('text', { x: size.x + 2, y: y + 13 }, escapeXml(text)),
    ]);
  });
  const root = { xmlns: 'http://www.w3.org/2000/svg', width, height, role: 'img', ...LETTERS };
  return `${group('svg', root, [
    title(heading),
    element('rect', { width, height, fill: '#fff' }),
    element('text', { x: MARGIN, y: 22, 'font-weight': 'bold' }, escapeXml(heading)),
    ...rows,
    ...marks,
  ])}\n`;
}

const LETTERS = { 'font-family': 'monospace', 'font-size': 12 };

/** The same in lines of text, by the time of the call. */
export function historyLines<Input, Output>(
  history: History<Input, Output>,
  describe: (input: Input, output: Output | null) => string,
): string[] {
  return history
    .toSorted((one, other) => one.call - other.call)
    .map(({ client, input, call, returned }) => {
      const end = returned === null ? 'no outcome' : String(returned.at);
      return `${call}–${end}  client ${client}: ${describe(input, returned?.output ?? null)}`;
    });
}
