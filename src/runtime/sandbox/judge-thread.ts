/**
 * @module
 * The thread that judges submitted files, one after the other. It asks the process in the sandbox, replays
 * every election with its own machines, and grades. It blocks while it waits for an answer; the main thread keeps the time.
 */

import { parentPort } from 'node:worker_threads';

import type { Behaviour } from '../../adversary/behaviours/behaviour.ts';
import type { Defence } from '../../election/defences/defence.ts';
import type { Definition } from '../../election/definition/definitions.ts';
import { addDefinition } from '../../election/definition/definitions.ts';
import type { AnyMachine, Protocol } from '../../election/definition/protocol.ts';
import type { Effects, Json, Message, Self } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Exercise } from '../../exercise/document.ts';
import type { Grade } from '../../exercise/grading.ts';
import { grade } from '../../exercise/grading.ts';
import { createInstance } from '../../exercise/instance.ts';
import { MachineFault } from '../../exercise/machine-fault.ts';
import type { ServerRecord } from '../../exercise/record.ts';
import type { FileKind } from '../../exercise/submission.ts';
import { isFileKind } from '../../exercise/submission.ts';
import type { MachineSpec, StepRequest, SubmittedEffect } from './step-request.ts';
import type { Sandbox } from './submitted-definition.ts';
import { SubmittedDefinition } from './submitted-definition.ts';

/** What the thread judges: one file, for each of these students. */
export interface JudgeOrder extends Omit<Sandbox, 'onStart' | 'around'> {
  readonly exercise: Exercise;
  readonly secret: Uint8Array;
  readonly students: readonly string[];
}

/** What the thread posts: a process that it has started, or the grade of the next student. */
export type JudgeMessage = number | Grade;

const LIKE: ProtocolName = 'cr-join';

if (parentPort !== null) {
  const port = parentPort;
  const post = (message: JudgeMessage) => port.postMessage(message);
  port.on('message', (order: JudgeOrder) => judgeEach(order, post));
}

/** A process that has failed is not asked about another student. */
function judgeEach(order: JudgeOrder, post: (message: JudgeMessage) => void): void {
  let judged: Judged | null = null;
  try {
    for (const student of order.students) {
      if (judged?.definition.hasFailed === true) {
        judged.definition.close();
        judged = null;
      }
      const { grade: graded, judged: now } = judge({ ...order, student }, judged, post);
      judged = now;
      post(graded);
    }
  } finally {
    judged?.definition.close();
  }
}

/** The protocol of the lab that a submission for this goal is given as a machine; null if it is a protocol itself. */
function protocolAround(goal: Exercise['goal']): ProtocolName | null {
  return goal.type === 'defence-file' || goal.type === 'behaviour-file' ? goal.protocol : null;
}

/** A file in its process, and what was found of it that is the same for all students. */
interface Judged {
  readonly definition: SubmittedDefinition;
  readonly found: Map<string, string | null>;
}

function judge(
  { student, ...order }: Omit<JudgeOrder, 'students'> & { readonly student: string },
  before: Judged | null,
  onStart: (pid: number) => void,
): { readonly grade: Grade; readonly judged: Judged | null } {
  const { exercise, secret } = order;
  const { submission: kind, goal } = exercise;
  if (!isFileKind(kind)) throw new TypeError(`"exercise" expected one with a file, got ${kind}`);
  const instance = createInstance(exercise, { secret, student });
  const gradeBy = (record: Pick<ServerRecord, 'definition' | 'fault' | 'found'>) =>
    grade(exercise, instance, {
      submission: { type: kind },
      record: { elections: {}, forgeries: [], ...record },
    });
  let judged = before;
  try {
    judged ??= {
      definition: new SubmittedDefinition({ ...order, around: protocolAround(goal), onStart }),
      found: new Map(),
    };
    const { definition, found } = judged;
    definition.begin();
    if (definition.kind !== kind) {
      throw new MachineFault(`the file must export a ${kind}, and exports a ${definition.kind}`);
    }
    const like = goal.type === 'protocol-file' ? goal.protocol : LIKE;
    const graded = gradeBy({ definition: registerSubmitted(definition, { kind, like }), found });
    if (graded.points > 0) definition.recheck(instance.seed('recheck'));
    return { grade: graded, judged };
  } catch (error) {
    if (!(error instanceof MachineFault)) throw error;
    return { grade: gradeBy({ fault: error.message }), judged };
  }
}

/** The definition that is judged now, and the registered ones that ask it. */
let current: SubmittedDefinition | null = null;
const registered = new Set<string>();

/**
 * The name under which the definition is registered, until the next call. A protocol has the facts of `like`. Makes
 * a submitted definition one of this thread's registries, with the name `submitted`, so that everything that takes a
 * name takes it. Facts are those of the lab. Its machines ask the process in the sandbox.
 */
function registerSubmitted(
  definition: SubmittedDefinition,
  { kind, like }: { readonly kind: FileKind; readonly like: ProtocolName },
): string {
  current = definition;
  const name = kind === 'protocol' ? `submitted-${like}` : 'submitted';
  if (!registered.has(`${kind} ${name}`)) addDefinition(kind, { ...DEFINITIONS[kind](like), name });
  registered.add(`${kind} ${name}`);
  return name;
}

function protocolOf(like: ProtocolName): Protocol {
  const create: Protocol['create'] = (timing, flags = {}) =>
    remote({ of: 'protocol', timing, flags });
  return { ...PROTOCOLS[like], create };
}

function defenceOf(): Defence {
  return {
    kind: 'inside',
    name: '',
    code: '',
    summary: '',
    needsLevel: null,
    unsupportedReason: () => null,
    limit: () => null,
    response: { newcomers: 'admitted', ranks: 'by-id' },
    guard: (_machine, { protocol, timing }) => remote({ of: 'defence', protocol, timing }),
  };
}

function behaviourOf(): Behaviour {
  const wrap: Behaviour['wrap'] = (_machine, byzantineNode) => {
    const { protocol, timing, rank, accomplices, phantom, authentication } = byzantineNode;
    const { level, election, highestRank = null } = authentication;
    if (level !== 'L0' && level !== 'L1') {
      throw new TypeError(`"level" expected one without signatures, got ${level}`);
    }
    const node = { rank, accomplices, phantom, level, election, highestRank };
    return remote({ of: 'behaviour', protocol, timing, ...node });
  };
  return {
    name: '',
    attack: '',
    summary: '',
    aim: 'stop',
    needsTopId: true,
    comesLate: false,
    stage: () => ({}),
    unsupportedReason: () => null,
    remains: () => null,
    wrap,
  };
}

const DEFINITIONS: Readonly<Record<FileKind, (like: ProtocolName) => Definition>> = {
  protocol: protocolOf,
  behaviour: behaviourOf,
  defence: defenceOf,
};

/** A machine of the definition that is judged now. */
function remote(machine: MachineSpec): AnyMachine {
  const ask = (request: Omit<StepRequest, 'machine'>) => {
    if (current === null) throw new TypeError('no definition is judged');
    return current.ask({ machine, ...request });
  };
  return {
    // It was read from JSON.
    init: (self) => ({ ...ask({ self, state: null, event: null }).state }) as Json,
    step(self, state, event, effects) {
      const next = ask({ self, state, event });
      replaceMembers(state, next.state);
      for (const effect of next.effects) carryOut(effect, self, effects);
    },
  };
}

/** A step changes the state in place. */
function replaceMembers(state: Json, next: Readonly<Record<string, unknown>>): void {
  // The state of a remote machine is an object of its own, made from an answer.
  const members = state as Record<string, unknown>;
  for (const name of Object.keys(members)) delete members[name];
  Object.assign(members, next);
}

function carryOut(effect: SubmittedEffect, { members }: Self, effects: Effects<Message>): void {
  switch (effect.type) {
    case 'send':
      if (!members.includes(effect.to))
        throw new MachineFault(`it sends to no member: ${effect.to}`);
      effects.send(effect.to, effect.message);
      break;
    case 'set-timer':
      effects.setTimer(effect.timer, effect.ticks, effect.periodic);
      break;
    case 'cancel-timer':
      effects.cancelTimer(effect.timer);
      break;
    case 'choose':
      effects.choose(effect.below);
      break;
    case 'persist':
      effects.persist(effect.fields);
      break;
    case 'elect':
      if (!members.includes(effect.leader)) {
        throw new MachineFault(`it follows no member: ${effect.leader}`);
      }
      effects.elect(effect.leader, effect.epoch);
      break;
    case 'step-down':
      effects.stepDown();
      break;
    case 'accuse':
      effects.accuse(effect.evidence);
      break;
    case 'respond':
      effects.respond(effect.value);
      break;
    default:
      effect satisfies never;
  }
}
