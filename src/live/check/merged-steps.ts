/**
 * @module
 * One order of the steps of live nodes and of their store, in which causes are before their consequences. A node's steps
 * are in the order of its log, the steps of the store in that of its revisions. A step comes after the sending of what it
 * receives, and after all steps that its vector clock counts. Of the steps that may come next, the earliest comes first.
 * Answers of one revision to several nodes saw the same state of the store, so that their causes and times order them.
 */

import type { Message, Rank } from '../../election/machine.ts';
import type { LiveLog, LiveRecord, StoreMark } from '../node-record.ts';

/** A step of a node. */
interface NodeStep {
  readonly type: 'node';
  readonly position: number;
  readonly index: number;
  readonly record: LiveRecord;
  /** Real time in ms. */
  readonly t: number;
  /** A message of the store that answers nothing comes after all answers of lower revisions than the node sees later. */
  readonly before: number;
}

/** A step of the store: it answers a call of the node at `position`, which received that in record `index`. */
export interface StoreStep {
  readonly type: 'store';
  readonly position: number;
  readonly index: number;
  readonly mark: StoreMark;
  readonly value: Message;
  readonly t: number;
}

export type MergedStep = NodeStep | StoreStep;

/** What identifies a message or a call in all logs. */
export function sentName(position: number, id: number): string {
  return `${position}:${id}`;
}

/** The calls that were answered, by name. */
export function answeredCalls(logs: readonly LiveLog[]): ReadonlySet<string> {
  return new Set(storeSteps(logs).map(({ position, mark }) => sentName(position, mark.call)));
}

/**
 * All steps of honest nodes and of the store. What was received from a node without a log waits for nothing. If the logs
 * contradict each other, the first step that contradicts comes although its cause is missing.
 */
export function* mergedSteps(
  logs: readonly LiveLog[],
  positionOf: (rank: Rank) => number | null,
): Generator<MergedStep> {
  const checked = logs
    .filter(({ isByzantine }) => !isByzantine)
    .toSorted((one, other) => one.position - other.position);
  const answers = checked.map((log) => new StepQueue(answersTo(log)));
  // The store comes after what happened at the same time.
  const queues = [...checked.map((log) => new StepQueue(nodeSteps(log))), ...answers];
  const causes = new Causes(checked, positionOf);
  let next = nextRevision(answers);
  for (;;) {
    let chosen: StepQueue | null = null;
    for (const queue of queues) {
      const { first } = queue;
      if (first === undefined) continue;
      if (queue.readiness < READY) queue.readiness = causes.readinessOf(first, next);
      if (chosen === null || queue.isBefore(chosen)) chosen = queue;
    }
    const step = chosen?.take();
    if (step === undefined) return;
    causes.note(step);
    if (step.type === 'store') next = nextRevision(answers);
    yield step;
  }
}

/** A step that is ready remains so. One whose clock alone is missing steps is taken before one without its cause. */
const READY = 2;
const WITHOUT_CLOCK = 1;
const WITHOUT_CAUSE = 0;
/** The store has a step of a lower revision. */
const OUT_OF_ORDER = -1;

type Revision = Pick<StoreMark, 'revision' | 'wrote'>;
const AFTER_ALL: Revision = { revision: Number.POSITIVE_INFINITY, wrote: false };

/** The revision of the next step of the store. */
function nextRevision(answers: readonly StepQueue[]): Revision {
  const marks = answers.flatMap(({ first }) => (first?.type === 'store' ? first.mark : []));
  return marks.reduce<Revision>((one, each) => (byRevision(each, one) < 0 ? each : one), AFTER_ALL);
}

class StepQueue {
  readonly #stepAt: (index: number) => MergedStep | undefined;
  #next = 0;
  first: MergedStep | undefined;
  /** The cause of the first step, as far as it is known. */
  readiness = WITHOUT_CAUSE;

  constructor(stepAt: (index: number) => MergedStep | undefined) {
    this.#stepAt = stepAt;
    this.first = stepAt(0);
  }

  isBefore(other: StepQueue): boolean {
    const at = ({ first }: StepQueue) => first?.t ?? Number.POSITIVE_INFINITY;
    return (
      this.readiness > other.readiness ||
      (this.readiness === other.readiness && at(this) < at(other))
    );
  }

  take(): MergedStep | undefined {
    const { first } = this;
    this.#next += 1;
    this.first = this.#stepAt(this.#next);
    this.readiness = WITHOUT_CAUSE;
    return first;
  }
}

/** What has happened in the steps so far. */
class Causes {
  readonly #positionOf: (rank: Rank) => number | null;
  /** Names of the messages that some log has as sent. */
  readonly #everSent: ReadonlySet<string>;
  readonly #sent = new Set<string>();
  readonly #served = new Set<string>();
  /** The number of records of each log, and of those so far, by position. */
  readonly #lengths: ReadonlyMap<number, number>;
  readonly #taken = new Map<number, number>();

  constructor(logs: readonly LiveLog[], positionOf: (rank: Rank) => number | null) {
    this.#positionOf = positionOf;
    const everSent = new Set<string>();
    for (const { position, records } of logs) {
      for (const record of records)
        for (const name of namesSentIn(position, record)) everSent.add(name);
    }
    this.#everSent = everSent;
    this.#lengths = new Map(logs.map(({ position, records }) => [position, records.length]));
  }

  /** `next` is that of the next step of the store. */
  readinessOf(step: MergedStep, next: Revision): number {
    if (step.type === 'store') {
      if (byRevision(step.mark, next) > 0) return OUT_OF_ORDER;
      return this.#sent.has(sentName(step.position, step.mark.call)) ? READY : WITHOUT_CAUSE;
    }
    if (!this.#hasCause(step, next.revision)) return WITHOUT_CAUSE;
    return this.#hasClock(step) ? READY : WITHOUT_CLOCK;
  }

  note(step: MergedStep): void {
    const { position } = step;
    if (step.type === 'store') {
      this.#served.add(sentName(position, step.mark.call));
      return;
    }
    for (const name of namesSentIn(position, step.record)) this.#sent.add(name);
    this.#taken.set(position, step.index + 1);
  }

  #hasCause({ position, record: { event }, before }: NodeStep, nextRevision: number): boolean {
    if (event.type === 'deliver') {
      const name = sentName(this.#positionOf(event.from) ?? 0, event.id);
      return this.#sent.has(name) || !this.#everSent.has(name);
    }
    if (event.type !== 'reply') return true;
    // The question of a client comes from no store.
    if (event.mark === null) return nextRevision >= before || event.value.type === 'ASK';
    return this.#served.has(sentName(position, event.mark.call));
  }

  /** No signature protects clocks. A count beyond the log of the node is false, and is ignored. */
  #hasClock({ position, record: { clock } }: NodeStep): boolean {
    return Object.entries(clock).every(([rank, count]) => {
      const other = this.#positionOf(rank as string as Rank); // A name that is no rank has no position.
      if (other === null || other === position) return true;
      const length = this.#lengths.get(other) ?? 0;
      return count > length || (this.#taken.get(other) ?? 0) >= count;
    });
  }
}

function namesSentIn(position: number, { effects }: LiveRecord): string[] {
  return effects.flatMap((effect) =>
    effect.type === 'send' || effect.type === 'call' ? sentName(position, effect.id) : [],
  );
}

/** The steps of a node by index. A step is made when it is needed: a log can have a million. */
function nodeSteps({ position, records }: LiveLog): (index: number) => NodeStep | undefined {
  const revisions = lowestRevisionsFrom(records);
  return (index) => {
    const record = records[index];
    if (record === undefined) return undefined;
    const before = revisions?.[index + 1] ?? Number.POSITIVE_INFINITY;
    return { type: 'node', position, index, record, t: record.t, before };
  };
}

/** By index, the lowest revision of the answers from this record on; null without answers of a store. */
function lowestRevisionsFrom(records: readonly LiveRecord[]): readonly number[] | null {
  const isOfStore = records.some(({ event }) => event.type === 'reply' && event.mark !== null);
  if (!isOfStore) return null;
  const lowest = Array<number>(records.length);
  let before = Number.POSITIVE_INFINITY;
  for (let index = records.length - 1; index >= 0; index -= 1) {
    const event = records[index]?.event;
    if (event?.type === 'reply' && event.mark !== null) {
      before = Math.min(before, event.mark.revision);
    }
    lowest[index] = before;
  }
  return lowest;
}

function storeSteps(logs: readonly LiveLog[]): StoreStep[] {
  return logs.flatMap(({ position, records }) =>
    records.flatMap(({ event, t }, index) => {
      if (event.type !== 'reply' || event.mark === null) return [];
      const { mark, value } = event;
      return { type: 'store' as const, position, index, mark, value, t };
    }),
  );
}

/** The answers of the store to a node by index, those of one revision in the order of its calls. */
function answersTo(log: LiveLog): (index: number) => StoreStep | undefined {
  const steps = storeSteps([log]).toSorted(
    ({ mark: one }, { mark: other }) => byRevision(one, other) || one.call - other.call,
  );
  return (index) => steps[index];
}

/** What only read after a write comes after it. */
function byRevision(one: Revision, other: Revision): number {
  return one.revision - other.revision || Number(other.wrote) - Number(one.wrote);
}
