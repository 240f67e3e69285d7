/**
 * @module
 * Runs, counterexamples, results of operations and grades in sentences, at three lengths. Everything is said from the data.
 */

import { z } from 'zod';
import { isInstruction } from '../../adversary/behaviours/free-node.ts';
import type { Refusal } from '../../election/authentication/authenticated.ts';
import { isResourceReply } from '../../election/lease/stores/resource.ts';
import { memberOf } from '../../election/message-members.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { CheckOutput, ShownExample } from '../../operations/check/output.ts';
import type { Answer } from '../../operations/elect/answer.ts';
import { answerRows } from '../../operations/elect/answer.ts';
import type { Block, Report } from '../../operations/report.ts';
import { capitalized } from '../../printable.ts';
import type { Happening, TraceRecord } from '../../simulation/engine/trace.ts';
import { faultText } from '../../simulation/faults/text.ts';
import {
  contentText,
  effectSentences,
  eventSentence,
  propertyLines,
  refusalText,
} from '../../simulation/report/sentences.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import { describeObstacle, isLie } from '../../simulation/trace/describe.ts';
import { eventNameOf } from '../../simulation/trace/event-line.ts';
import type { TraceEvent } from '../../simulation/trace/events.ts';
import { leadsAfter, traceEvents } from '../../simulation/trace/events.ts';

export const LENGTHS = ['short', 'medium', 'long'] as const;
export type Length = (typeof LENGTHS)[number];

/** Turning points of a run, the most important first, with the name by which those that are left out are counted. */
const TURNING_POINTS = {
  lead: 'changes of leader',
  write: 'late and refused writes',
  lie: 'lies',
  refusal: 'refused messages',
  fault: 'faults',
  suspicion: 'suspicions',
  loss: 'lost and copied messages',
} as const;
type TurningPoint = keyof typeof TURNING_POINTS;
const IMPORTANCE = Object.keys(TURNING_POINTS);

/** Turning points that a medium explanation names. */
const POINTS_MAX = 12;

/** What happened, in the order of time. */
export interface Course {
  readonly records: readonly TraceRecord<Happening>[];
  readonly store: number | null;
  /** Why messages were refused, by the number of the record. */
  readonly refusals: ReadonlyMap<number, Refusal>;
  /** Whether leaders write to a resource. */
  readonly hasResource: boolean;
  /** Whether there is no time, so that actions are counted. */
  readonly isUntimed: boolean;
}

interface Moment {
  /** The event with all that the node did, or only with what makes it a turning point. */
  readonly whole: string;
  readonly brief: string;
  readonly point: TurningPoint | null;
}

/** Every event. Throws RangeError for records that are no trace. */
function* momentsOf({ records, store, refusals, hasResource, isUntimed }: Course) {
  let highest = 0;
  for (const event of traceEvents(records)) {
    const { record, node, flight, wasLeading } = event;
    const { t, seq, effects, lost } = record;
    const refusal = refusals.get(seq);
    const write = hasResource && node === store ? writeOf(event, highest) : null;
    highest = Math.max(highest, write?.epoch ?? 0);
    const leads = node !== null && leadsAfter(wasLeading, record, node);
    const remarks = [
      ...(refusal === undefined ? [] : [`refuses it: ${refusalText(refusal)}`]),
      ...(write?.remark ?? []),
      ...(wasLeading && !leads ? ['ceases to lead'] : []),
    ];
    const why = lost === undefined ? '' : `, because ${describeObstacle(lost)}`;
    const sentence = (did: readonly string[], content: string | null) => {
      const said = happenedIn(event, store, content).replace(/^(Node|The|Message) /, (word) =>
        word.toLowerCase(),
      );
      const rest = did.length === 0 ? '' : `; it ${listed(did)}`;
      return `${isUntimed ? 'Action' : 'Tick'} ${t}: ${said.slice(0, -1)}${why}${rest}.`;
    };
    const all = effectSentences(effects, node);
    const lies = flight !== null && isInstruction(flight.message);
    const decisive = effects.filter(({ type }) => type === 'elect' || type === 'accuse');
    const seen = { lies, isRefused: refusal !== undefined, writes: write?.remark.length };
    const point = wasLeading === leads ? pointOf(event, seen) : 'lead';
    const did = lies ? all : effectSentences(decisive, node);
    const brief = sentence([...did, ...remarks], flight && flight.message.type);
    const whole = sentence([...all, ...remarks], flight && contentText(flight.message));
    yield { whole, brief, point } satisfies Moment;
  }
}

/** Which turning point an event is that changes no leader. */
function pointOf(
  { record }: TraceEvent<Happening>,
  seen: Readonly<Record<'lies' | 'isRefused', boolean> & { writes: number | undefined }>,
): TurningPoint | null {
  const { action, dropped, effects } = record;
  if (seen.writes) return 'write';
  if (seen.lies || effects.some(({ type }) => type === 'accuse')) return 'lie';
  if (seen.isRefused) return 'refusal';
  if (dropped || action.type === 'drop' || action.type === 'duplicate') return 'loss';
  // The first report to a node is about itself.
  if (action.type === 'suspect' || action.type === 'trust')
    return action.node === action.about ? null : 'suspicion';
  return /^(start|deliver|timeout|choose|inject|join)$/.test(action.type) ? null : 'fault';
}

/** What a resource says of an operation. `highest` is the highest epoch of those that it accepted before. */
function writeOf({ record, flight }: TraceEvent<Happening>, highest: number) {
  if (flight === null) return null;
  for (const effect of record.effects) {
    if (effect.type !== 'send' || !isResourceReply(effect.message)) continue;
    const { type, epoch } = effect.message;
    if (type === 'REFUSED') {
      return { epoch: 0, remark: [`refuses it: ${memberOf(effect.message, 'reason')}`] };
    }
    const isLate = type === 'WRITTEN' && epoch < highest;
    return { epoch, remark: isLate ? [`accepts this late write: it knows epoch ${highest}`] : [] };
  }
  return null;
}

function happenedIn(
  event: TraceEvent<Happening>,
  store: number | null,
  content: string | null,
): string {
  const { record, node, flight } = event;
  const { action, dropped } = record;
  if (action.type === 'inject' && isLie(action)) return `Node ${node} decides to lie.`;
  if (node !== null && flight !== null && isInstruction(flight.message))
    return `Node ${node} lies.`;
  const name: unknown = eventNameOf(dropped === true ? { type: 'drop' } : action);
  if (typeof name !== 'string') throw new RangeError(`there is no action ${action.type}`);
  const said = { event: name, action: { ...action }, node, from: flight?.from, dropped };
  return eventSentence(said, store, content);
}

/** `a, b and c` */
function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** The turning points, or everything. `repeatsFrom` is the number of actions before those that repeat for ever. */
function courseSentences(course: Course, length: Length, repeatsFrom: number | null): string[] {
  if (length === 'short') return [];
  if (length === 'long') {
    return Array.from(momentsOf(course), ({ whole }, index) =>
      index === repeatsFrom ? ['From here on the actions repeat for ever.', whole] : [whole],
    ).flat();
  }
  const points = Array.from(momentsOf(course)).filter(({ point }) => point !== null);
  const rank = ({ point }: Moment) => IMPORTANCE.indexOf(point ?? '');
  const chosen = new Set(points.toSorted((a, b) => rank(a) - rank(b)).slice(0, POINTS_MAX));
  const left = Object.entries(TURNING_POINTS).flatMap(([name, text]) => {
    const count = points.filter((each) => each.point === name && !chosen.has(each)).length;
    return count === 0 ? [] : [`${text} ${count}`];
  });
  const rest = left.length === 0 ? [] : [`Left out here: ${left.join(', ')}.`];
  return [...points.filter((each) => chosen.has(each)).map(({ brief }) => brief), ...rest];
}

/** Rows of the answer of an election that say how it went. */
const MEASURES = /^(messages|no leader|split|epochs|stable|resource)$/;

/** An election that was carried out again, with its answer. */
export function runSentences(
  { plan, records, takeRefusals }: Pick<Simulation, 'plan' | 'records' | 'takeRefusals'>,
  answer: Answer,
  length: Length,
): string[] {
  const { protocol, verdict, same } = answer;
  const { nodes, seed, level, byzantine, schedule, store, workload } = plan;
  const setting = [
    `${protocol} with ${nodes} nodes and seed ${seed}`,
    ...(level === null ? [] : [`messages at level ${level}`]),
    ...(byzantine ?? []).map(
      ({ rank, behaviours }) => `node ${rank} with ${behaviours.join(', ')}`,
    ),
  ];
  const properties = propertyLines(verdict.properties).filter(({ value }) => value === 'false');
  const faults = (schedule?.faults ?? []).map(faultText).map(({ flag, text }) => `${flag} ${text}`);
  const course = {
    records: records(),
    store,
    refusals: takeRefusals(),
    hasResource: workload !== null,
  };
  const further = [
    ...(faults.length === 0 ? [] : [`Its faults are: ${faults.join('; ')}.`]),
    ...courseSentences({ ...course, isUntimed: false }, length, null),
    ...rowSentences(answerRows(answer).filter(([name]) => MEASURES.test(name))),
  ];
  return [
    `An election by ${setting.join(', ')}: ${verdict.reason}.`,
    `The verdict is ${verdict.value}.`,
    ...properties
      .filter(({ name }) => name !== 'Highest live wins' || PROTOCOLS[protocol].elects !== 'any')
      .map(({ sentence }) => sentence),
    ...(same === false
      ? ['Its trace is not the saved one: its protocol or usurp has changed.']
      : []),
    ...(length === 'short' ? [] : further),
  ];
}

/** A counterexample, or the actions that reach a goal. */
export function counterexampleSentences(
  shown: Pick<CheckOutput, 'protocol' | 'nodes'> & Pick<ShownExample, 'property' | 'cycleFrom'>,
  {
    isGoal,
    breach,
    doubt,
  }: Readonly<{ isGoal: boolean } & Record<'breach' | 'doubt', string | null>>,
  course: Course,
  length: Length,
): string[] {
  const { protocol, nodes, property, cycleFrom } = shown;
  const what = isGoal ? `reaches the goal ${property}` : `violates the property ${property}`;
  const { length: count } = course.records;
  const cycle =
    cycleFrom === null ? '' : `, of which those from action ${cycleFrom + 1} on repeat for ever`;
  return [
    `An execution of ${protocol} with ${nodes} nodes ${doubt === null ? '' : 'no longer '}${what}: ${doubt ?? breach}.`,
    `It has ${count} ${count === 1 ? 'action' : 'actions'}${cycle}.`,
    ...courseSentences(course, length, cycleFrom),
  ];
}

/** Rows of facts that a medium explanation has: what decides, and beside what it stands. */
const DECISIVE = /^(the verdict|reason|theory|leader|outcome|limit|response|missing|harm)/i;
/** Rows that say how to compute it again, and no fact. */
const NO_FACTS = /^(replay|digest)$/;

/** The report of an operation. */
export function reportSentences(report: Report, length: Length): string[] {
  const verdicts = report.flatMap((block) => {
    if (block.type === 'sentence') return block.verdict === null ? [] : [ended(block.text)];
    if (block.type !== 'facts') return [];
    return rowSentences(block.rows.filter(([name]) => name === 'verdict'));
  });
  if (length === 'short' && verdicts.length > 0) return verdicts.slice(0, 1);
  const all = report.flatMap((block) => blockSentences(block, length));
  if (length !== 'short' && all.length > 0) return all;
  // Some reports have only facts.
  const facts = report.flatMap((block) => blockSentences(block, 'long'));
  return (all.length > 0 ? all : facts).slice(0, 2);
}

function blockSentences(block: Block, length: Length): string[] {
  if (block.type === 'sentence') return [ended(block.text)];
  if (length === 'short') return [];
  if (block.type === 'notes') return block.notes.map(ended);
  if (block.type === 'suggestions') {
    return block.suggestions.map(({ text }) => ended(`${block.title}: ${text}`));
  }
  if (block.type === 'facts') {
    const rows = rowSentences(block.rows.filter(([name]) => !NO_FACTS.test(name)));
    return length === 'long' ? rows : rows.filter((sentence) => DECISIVE.test(sentence));
  }
  if (length === 'medium') return [];
  if (block.type === 'lines') return block.lines.map(ended);
  const names = block.columns.map(({ name }) => name);
  return block.rows.map((row) => rowOfTable(names, row));
}

/** A row without a name says more of the one before it. */
function rowSentences(rows: readonly (readonly [name: string, text: string])[]): string[] {
  return rows.map(([name, text]) => {
    if (name === '') return ended(capitalized(text));
    const [, value, reason] = /^(true|false|unknown): (.*)$/s.exec(text) ?? [];
    if (name === 'verdict' && reason) return ended(`The verdict is ${value}: ${reason}`);
    return ended(`${/^[a-z ]+$/.test(name) ? capitalized(name) : name}: ${text}`);
  });
}

function rowOfTable(
  [, ...names]: readonly string[],
  [first = '', ...cells]: readonly string[],
): string {
  const said = cells.flatMap((cell, index) =>
    cell === '' ? [] : [`${names[index] ?? ''} ${cell}`.trim()],
  );
  return ended(`${first}: ${said.join(', ')}`);
}

function ended(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, ' ');
  return /[.!?…:]$/.test(line) ? line : `${line}.`;
}

const grade = { student: z.string(), points: z.number(), pointsMax: z.number() };
const { student: _, ...pointsOfTest } = grade;
const testSchema = z.object({
  criterion: z.string(),
  met: z.boolean(),
  ...pointsOfTest,
  detail: z.string(),
});
const exerciseSchema = z.object({
  exercise: z.string(),
  status: z.string(),
  tests: z.array(testSchema),
});
const studentSchema = z.object({ ...grade, exercises: z.array(exerciseSchema) });
const resultSchema = z
  .object({
    name: z.string(),
    score: z.number(),
    max_score: z.number(),
    status: z.string(),
    output: z.string(),
  })
  .transform(({ name, score: points, max_score: pointsMax, status, output: detail }) => {
    const [exercise = '', ...criterion] = name.split(': ');
    const test = {
      criterion: criterion.join(': '),
      met: status === 'passed',
      points,
      pointsMax,
      detail,
    };
    return { exercise, status, tests: [test] };
  });
const gradescopeSchema = z
  .object({ score: z.number(), tests: z.array(resultSchema) })
  .transform(({ score: points, tests: exercises }) => {
    const pointsMax = exercises.reduce((sum, { tests }) => sum + (tests[0]?.pointsMax ?? 0), 0);
    return [{ student: 'The student', points, pointsMax, exercises }];
  });

/** What usurp grade prints, or its results.json of one student. */
export const GRADES = z.union([z.array(studentSchema).min(1), gradescopeSchema]);

/** The grades of students: for each the points, and then the criteria. */
export function gradeSentences(students: z.output<typeof GRADES>, length: Length): string[] {
  return students.flatMap(({ student, points, pointsMax, exercises }) => {
    const tests = exercises.flatMap((of) => of.tests.map((test) => ({ ...of, ...test })));
    const missing = tests.filter(({ met }) => !met);
    const passed = missing.length === 0 ? 'passed' : 'did not pass';
    const criteria = `${tests.length - missing.length} of ${tests.length} criteria are met`;
    const shown = { short: [], medium: missing, long: tests }[length].map((test) => {
      const state = test.met ? 'met' : test.status === 'not-graded' ? 'not graded' : 'missing';
      const worth = `${test.points} of ${test.pointsMax} points`;
      return ended(`${test.exercise}, ${test.criterion}: ${state}, ${worth}: ${test.detail}`);
    });
    return [
      `${student} has ${points} of ${pointsMax} points and ${passed}: ${criteria}.`,
      ...shown,
    ];
  });
}
