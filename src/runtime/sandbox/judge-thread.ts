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

/** What the thread judges. */
export interface JudgeOrder extends Omit<Sandbox, 'onStart'> {
  readonly exercise: Exercise;
  readonly secret: Uint8Array;
  readonly student: string;
}

/** What the thread posts: a process that it has started, or the grade. */
export type JudgeMessage = number | Grade;

const LIKE: ProtocolName = 'cr-join';

if (parentPort !== null) {
  const port = parentPort;
  const post = (message: JudgeMessage) => port.postMessage(message);
  port.on('message', (order: JudgeOrder) => post(judge(order, post)));
}

function judge(order: JudgeOrder, onStart: (pid: number) => void): Grade {
  const { exercise, secret, student } = order;
  const { submission: kind, goal } = exercise;
  if (!isFileKind(kind)) throw new TypeError(`"exercise" expected one with a file, got ${kind}`);
  const instance = createInstance(exercise, { secret, student });
  const gradeBy = (record: Pick<ServerRecord, 'definition' | 'fault'>) =>
    grade(exercise, instance, {
      submission: { type: kind },
      record: { elections: {}, forgeries: [], ...record },
    });
  let definition: SubmittedDefinition | null = null;
  try {
    definition = new SubmittedDefinition({ ...order, onStart });
    if (definition.kind !== kind) {
      throw new MachineFault(`the file must export a ${kind}, and exports a ${definition.kind}`);
    }
    const like = goal.type === 'protocol-file' ? goal.protocol : LIKE;
    const graded = gradeBy({ definition: registerSubmitted(definition, { kind, like }) });
    if (graded.points > 0) definition.recheck(instance.seed('recheck'));
    return graded;
  } catch (error) {
    if (!(error instanceof MachineFault)) throw error;
    return gradeBy({ fault: error.message });
  } finally {
    definition?.close();
  }
}
