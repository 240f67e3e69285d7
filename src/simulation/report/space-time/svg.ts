/**
 * @module
 * This folder draws a trace as a space-time diagram (Lamport 1978) in SVG: one file without scripts and
 * without styles or fonts from elsewhere, the same bytes for the same trace. Shape and stroke carry the
 * meaning, so that it prints in black and white, and every line and mark has a title.
 */

import { LabError } from '../../../errors.ts';
import type { Happening, TraceRecord } from '../../engine/trace.ts';
import {
  describeEffects,
  describeEvent,
  describeFlight,
  describeMessage,
  describeObstacle,
  describeStep,
  endpointName,
  joined,
  STORE,
  shortened,
} from '../../trace/describe.ts';
import type { TraceEvent } from '../../trace/events.ts';
import { leadsAfter, traceEvents } from '../../trace/events.ts';
import { PART_RECORDS, viewText } from '../../trace/view.ts';
import type { TextLocation } from './label-spots.ts';
import { CHARACTER_WIDTH, drawLegend, LABEL_GAP, TEXT, textLocations } from './label-spots.ts';
import type { Arrow, DiagramPlan, Layout, LifeSegment, Mark, Wait } from './layout.ts';
import { columnRanks, layOut, REPETITION, timeUnit } from './layout.ts';
import { element, escapeXml, group, groupLines, linesOf, title } from './svg-elements.ts';
import type { SymbolName } from './symbols.ts';
import { ARROW_HEADS, LINES, MARKS, markOf } from './symbols.ts';

/** The number of columns that can be distinguished. */
export const SVG_NODES_LIMIT = 64;
/** At most about 200 000 pixels of height. */
export const SVG_RECORDS_LIMIT = 4_000;

const LEFT = 84;
const TOP = 24;
const ROW_HEIGHT = 18;

/** Width of a bold character. */
const BOLD_WIDTH = 7;

/** Makes text readable on the lines that it crosses. */
const HALO = {
  stroke: '#fff',
  'stroke-width': 5,
  'stroke-linejoin': 'round',
  'paint-order': 'stroke',
};

/**
 * The diagram of a whole trace. Throws LabError `job.size` beyond `SVG_NODES_LIMIT` nodes or
 * `SVG_RECORDS_LIMIT` records.
 */
export function spaceTimeSvg(
  plan: DiagramPlan,
  records: readonly TraceRecord<Happening>[],
): string {
  return [...spaceTimeLines(plan, records)].join('');
}

/** The lines of `spaceTimeSvg`, each of which is drawn when it is taken. The parts of the layout are empty lines. */
export function* spaceTimeLines(
  plan: DiagramPlan,
  records: readonly TraceRecord<Happening>[],
): Generator<string, void, undefined> {
  const { store = null, nodeOrder, view } = plan;
  assertDrawable(view?.nodes?.length ?? nodeOrder.length, view?.count ?? records.length, plan);
  const events: TraceEvent<Happening>[] = [];
  for (const event of traceEvents(records)) {
    if (events.push(event) % PART_RECORDS === 0) yield '';
  }
  yield '';
  const columns = columnRanks(plan).length;
  const charactersMax = columns <= 6 ? 28 : columns <= 12 ? 20 : 12;
  const labels = labelsOf(events, plan, charactersMax);
  const columnWidth = columnWidthOf(labels, plan);
  const measures = { left: LEFT, top: TOP, columnWidth, rowHeight: ROW_HEIGHT };
  yield '';
  const layout = layOut(plan, events, measures);
  yield '';
  const heading = headingOf(plan);
  const drawn = LEFT + columns * columnWidth;
  const legend = drawLegend(heading, usedSymbols(layout, labels), drawn);
  const width = Math.max(drawn, legend.width);
  const height = legend.height + layout.bottom + TOP;
  const root = {
    xmlns: 'http://www.w3.org/2000/svg',
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: 'graphics-document',
    ...TEXT,
  };
  const head = [
    title(plan.seed === undefined ? heading : `${heading}, seed ${plan.seed}`),
    element('desc', {}, descriptionOf(store)),
    group('defs', {}, ARROW_HEADS.map(drawHead)),
    element('rect', { width, height, fill: '#fff' }),
    ...legend.lines,
  ];
  const drawing = drawLayout(layout, { plan, labels, width: drawn });
  const position = { transform: `translate(0 ${legend.height})` };
  const lines = groupLines('svg', root, head, groupLines('g', position, drawing));
  for (const line of lines) yield `${line}\n`;
}

function headingOf(plan: DiagramPlan): string {
  const { protocol, nodeOrder, store = null, view } = plan;
  const nodes = nodeOrder.length === 1 ? '1 node' : `${nodeOrder.length} nodes`;
  const part = view === undefined ? '' : viewText(view, store);
  const shown = part === '' ? '' : `: ${part}`;
  return `${protocol}, ${nodes}${store === null ? '' : ' and a store'}${shown}`;
}

function descriptionOf(store: number | null): string {
  const whose = store === null ? 'each node' : 'each node and the store';
  return `A space-time diagram: a line for ${whose}, time downwards, not to scale, and an arrow for each message from its sending to its arrival.`;
}

/** Throws LabError `job.size` for a trace that is too large. */
export function assertDrawable(
  nodes: number,
  records: number,
  { isLive = false }: Pick<DiagramPlan, 'isLive'> = {},
): void {
  const isTooWide = nodes > SVG_NODES_LIMIT;
  if (!isTooWide && records <= SVG_RECORDS_LIMIT) return;
  // What is known of a live trace says how to select a part of it.
  const cure = isLive ? '' : '; elect among fewer nodes';
  const detail = isTooWide
    ? `an SVG diagram is for ${SVG_NODES_LIMIT} nodes at most, not ${nodes}`
    : `an SVG diagram is for ${SVG_RECORDS_LIMIT} records at most, not ${records}${cure}`;
  throw new LabError('job.size', detail);
}

function columnWidthOf(labels: readonly Label[], plan: DiagramPlan): number {
  const characters = labels.reduce((most, { text }) => Math.max(most, [...text].length), 0);
  const heads = columnRanks(plan).map((rank) => BOLD_WIDTH * headOf(rank, plan).length + 12);
  return Math.max(72, ...heads, Math.ceil(characters * CHARACTER_WIDTH) + LABEL_GAP + 12);
}

/** The symbols that the legend must explain. */
function usedSymbols(layout: Layout, labels: readonly Label[]): ReadonlySet<SymbolName> {
  const used = new Set<SymbolName>(layout.lives.map(({ state }) => state));
  for (const { event, index } of layout.marks) {
    const mark = markOf(event, labels[index]?.isElected === true);
    if (mark !== null) used.add(mark);
  }
  for (const arrow of layout.arrows) used.add(lineOf(arrow));
  if (layout.waits.length > 0) used.add('wait');
  if (layout.links.length > 0) used.add('partition');
  return used;
}

function lineOf({ fate, flight }: Arrow): Arrow['fate'] | 'copy' {
  return fate === 'delivered' && flight.id < 0 ? 'copy' : fate;
}

/** Guides, lifelines, timers, arrows, marks: each is drawn over the ones before. */
function* drawLayout(
  layout: Layout,
  parts: {
    readonly plan: DiagramPlan;
    readonly labels: readonly Label[];
    readonly width: number;
  },
): Generator<string, void, undefined> {
  const { plan, labels, width } = parts;
  const { store = null, isUntimed = false } = plan;
  const { bands, columns, lives, waits, arrows, marks, bottom } = layout;
  const ends = arrows.filter(({ fate }) => fate === 'lost' || fate === 'open');
  yield* groupLines(
    'g',
    { stroke: '#ccc', 'stroke-width': 0.5 },
    linesOf(bands, (band) => guide(band, width)),
  );
  const times = { x: LEFT - (isUntimed ? 40 : 44), y: TOP - 8 };
  yield* groupLines(
    'g',
    { fill: '#555', 'text-anchor': 'end' },
    [element('text', times, timeUnit(plan))],
    linesOf(bands, ({ tick, y }) => element('text', { x: LEFT - 44, y: y + 4 }, String(tick))),
  );
  yield* drawRepetition(layout, plan, width);
  for (const mark of layout.links) yield* drawLinks(mark, store, width);
  yield group('g', { 'font-weight': 'bold', 'text-anchor': 'middle' }, [
    ...columns.map(({ rank, x }) => element('text', { x, y: TOP - 8 }, headOf(rank, plan))),
    ...columns.map(({ rank, x }) => element('text', { x, y: bottom + 14 }, headOf(rank, plan))),
  ]);
  yield* groupLines(
    'g',
    { fill: 'none' },
    linesOf(lives, drawLife),
    linesOf(waits, (wait) => drawWait(wait, plan)),
    linesOf(arrows, (arrow) => drawArrow(arrow, plan)),
  );
  const [locations, endLocations] = locationsOfTexts(layout, ends, { labels, width });
  yield* groupLines(
    'g',
    HALO,
    linesOf(marks, (mark) => drawMark(mark, labels[mark.index], { plan, locations })),
    linesOf(ends, (end) => drawEnd(end, endLocations)),
  );
}

/** A time with its unit: `tick 4`, `4 ms`. */
function timeText(time: number | null, plan: DiagramPlan): string {
  const unit = timeUnit(plan);
  return unit === 'ms' ? `${time} ms` : `${unit} ${time}`;
}

function titleOf(rank: number, store: number | null): string {
  return rank === store ? STORE : `node ${rank}`;
}

/** What stands above and below a column. */
function headOf(rank: number, plan: DiagramPlan): string {
  const { store = null, byzantine = [], adversaries = [] } = plan;
  const name = titleOf(rank, store);
  if (byzantine.some((each) => each.rank === rank)) return `${name}, Byzantine`;
  return adversaries.includes(rank) ? `${name}, adversary` : name;
}

function guide({ y }: Layout['bands'][number], width: number): string {
  return element('path', { d: `M${LEFT - 38} ${y}H${width}` });
}

const LABEL = { 'font-style': 'italic', 'text-anchor': 'end', ...HALO };

/** A line above the first action that repeats. */
function drawRepetition({ bands }: Layout, { repeatsFrom }: DiagramPlan, width: number): string[] {
  const first = bands.find(({ tick }) => tick === repeatsFrom);
  if (first === undefined) return [];
  const y = first.y - ROW_HEIGHT / 2;
  const line = { d: `M${LEFT - 38} ${y}H${width}`, stroke: '#000', 'stroke-dasharray': '8 4' };
  return [element('path', line), element('text', { x: width - 4, y: y - 3, ...LABEL }, REPETITION)];
}

/** A line across all columns where a partition begins or ends, with its sides. */
function drawLinks({ event, y }: Mark, store: number | null, width: number): string[] {
  const line = { d: `M${LEFT - 38} ${y}H${width}`, ...LINES.partition.attributes };
  const text = escapeXml(describeEvent(event, store));
  return [element('path', line), element('text', { x: width - 4, y: y - 3, ...LABEL }, text)];
}

function drawLife({ x, from, to, state }: LifeSegment): string {
  return element('path', { d: `M${x} ${from}V${to}`, ...LINES[state].attributes });
}

function drawWait({ x, from, to, timer, setAt, firedAt }: Wait, plan: DiagramPlan): string {
  const [set, fired] = [timeText(setAt, plan), timeText(firedAt, plan)];
  return element(
    'g',
    { role: 'img' },
    title(`timer ${timer}, set at ${set}, fires at ${fired}`),
    element('path', { d: `M${x} ${from}H${x - 10}V${to}H${x}`, ...LINES.wait.attributes }),
  );
}

function drawArrow(arrow: Arrow, plan: DiagramPlan): string {
  const { from, to } = arrow;
  const bulge = from.x - 2 * ROW_HEIGHT;
  const middle = from.x === to.x ? `C${bulge} ${from.y} ${bulge} ${to.y} ` : 'L';
  return element(
    'g',
    { role: 'img' },
    title(arrowTitle(arrow, plan)),
    element('path', {
      d: `M${from.x} ${from.y}${middle}${to.x} ${to.y}`,
      ...LINES[lineOf(arrow)].attributes,
    }),
  );
}

function arrowTitle({ flight, fate, sentAt, endedAt, lost }: Arrow, plan: DiagramPlan): string {
  const { store = null } = plan;
  const end = timeText(endedAt, plan);
  const copied = flight.id < 0 ? ', a copy' : '';
  const sent = `${describeFlight(flight, store)}${copied}, sent at ${timeText(sentAt, plan)}`;
  switch (fate) {
    case 'delivered':
      return `${sent}, arrives at ${end}`;
    case 'lost':
      return `${sent}, lost at ${end}${lost === undefined ? '' : `: ${describeObstacle(lost)}`}`;
    case 'late':
      return `${sent}, lost at ${end}: ${endpointName(flight.to, store)} is down`;
    case 'open':
      return `${sent}, still under way`;
    default:
      return fate satisfies never;
  }
}

/** The locations of the texts beside marks, and of those beside messages that do not end at a mark. */
function locationsOfTexts(
  layout: Layout,
  ends: readonly Arrow[],
  { labels, width }: { readonly labels: readonly Label[]; readonly width: number },
): readonly [ReadonlyMap<Mark, TextLocation>, ReadonlyMap<Arrow, TextLocation>] {
  const { marks } = layout;
  const texts = [
    ...marks.map(({ x, y, index }) => ({ text: labels[index]?.text ?? '', x, y })),
    ...ends.map((end) => ({ text: endText(end), x: end.textX, y: end.to.y, isRight: true })),
  ];
  const locations = textLocations(texts, layout, { left: LEFT - 36, right: width });
  const mapOf = <Item>(items: readonly Item[], start: number) =>
    new Map(
      items.flatMap((item, index) => {
        const location = locations[start + index];
        return location === undefined ? [] : [[item, location] as const];
      }),
    );
  return [mapOf(marks, 0), mapOf(ends, marks.length)];
}

function textAt(text: string, { x, y, anchor }: TextLocation): string {
  const end = anchor === 'end' && { 'text-anchor': 'end' };
  return element('text', { x, y, ...end }, escapeXml(text));
}

/** What a message says that does not end at a mark. */
function endText({ flight }: Arrow): string {
  return shortened(describeMessage(flight.message), 28);
}

function drawEnd(end: Arrow, locations: ReadonlyMap<Arrow, TextLocation>): string {
  const location = locations.get(end);
  return location === undefined ? '' : textAt(endText(end), location);
}

function drawMark(
  at: Mark,
  label: Label | undefined,
  {
    plan,
    locations,
  }: { readonly plan: DiagramPlan; readonly locations: ReadonlyMap<Mark, TextLocation> },
): string {
  const { event, rank, x, y } = at;
  const { store = null } = plan;
  const mark = markOf(event, label?.isElected === true);
  const location = locations.get(at);
  return element(
    'g',
    { role: 'img', transform: `translate(${x} ${y})` },
    title(
      `${timeText(event.record.t, plan)}, ${titleOf(rank, store)}: ${describeEvent(event, store)}`,
    ),
    mark === null ? '' : element('path', { d: MARKS[mark].path, ...MARKS[mark].attributes }),
    location === undefined
      ? ''
      : textAt(label?.text ?? '', { ...location, x: location.x - x, y: location.y - y }),
  );
}

function drawHead({ id, path, refX, orient, attributes }: (typeof ARROW_HEADS)[number]): string {
  const box = { viewBox: '-1 -1 14 12', refX, refY: 5, markerWidth: 14, markerHeight: 12 };
  return element(
    'marker',
    { id, ...box, markerUnits: 'userSpaceOnUse', orient, overflow: 'visible' },
    element('path', { d: path, ...attributes }),
  );
}

/** The text beside an event, and whether its node becomes leader. */
interface Label {
  readonly text: string;
  readonly isElected: boolean;
}

/** The label of each event of a trace; without text if it is not shown. */
function labelsOf(
  events: readonly TraceEvent<Happening>[],
  plan: DiagramPlan,
  charactersMax: number,
): Label[] {
  const { store = null, view } = plan;
  const columns = new Set(columnRanks(plan));
  const textOf = (event: TraceEvent<Happening>) => {
    if (view?.shows(event.record) === false) return '';
    const { flight } = event;
    // No arrow shows who has sent it.
    const isFromOutside = flight !== null && !columns.has(flight.from);
    const sender = isFromOutside ? ` from ${endpointName(flight.from, store)}` : '';
    return labelText(event, sender, charactersMax);
  };
  return events.map((event) => {
    const text = textOf(event);
    const { node, wasLeading, record } = event;
    const isElected = node !== null && !wasLeading && leadsAfter(wasLeading, record, node);
    return { text, isElected };
  });
}

/** What arrows, marks and line widths do not show: the cause, and the new leader of the node. */
function labelText(event: TraceEvent<Happening>, sender: string, charactersMax: number): string {
  const { record, node, flight, wasLeading } = event;
  const { action, effects, stopped } = record;
  const cause =
    'node' in action
      ? describeStep({ action, stopped })
      : flight === null
        ? ''
        : `${describeMessage(flight.message)}${sender}`;
  if (node === null) return shortened(cause, charactersMax);
  const turns = effects.filter(({ type }) => type === 'elect' || type === 'step-down');
  const outcome = describeEffects(turns, { node, wasLeading });
  // The answer of a store is long, and the new leader comes after it.
  const room = outcome === '' ? 0 : charactersMax - outcome.length - ': '.length;
  return shortened(joined(room < 4 ? cause : shortened(cause, room), outcome), charactersMax);
}
