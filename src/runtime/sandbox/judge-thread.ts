/**
 * @module
 * The thread that judges submitted files, one after the other. It asks the process in the sandbox, replays
 * every election with its own machines, and grades. It blocks while it waits for an answer; the main thread keeps the time.
 */

import { parentPort } from 'node:worker_threads';
import type { ProtocolName } from '../../election/registry.ts';
import type { Exercise } from '../../exercise/document.ts';
import type { Grade } from '../../exercise/grading.ts';
import { grade } from '../../exercise/grading.ts';
import { createInstance } from '../../exercise/instance.ts';
import { MachineFault } from '../../exercise/machine-fault.ts';
import type { ServerRecord } from '../../exercise/record.ts';
import { isFileKind } from '../../exercise/submission.ts';
import { registerSubmitted } from './remote-machine.ts';
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
