/**
 * @module
 * What an election shows of the clients that its leaders served: how many operations there were, whether they are
 * linearizable, and if not, the smallest part of their history that is not.
 */

import { z } from 'zod';
import { linearize } from '../../checking/histories/linearizability.ts';
import type { RegisterOperation } from '../../checking/histories/register.ts';
import { registerModel } from '../../checking/histories/register.ts';
import { smallestViolation } from '../../checking/histories/smallest.ts';
import type { Clients } from '../../election/clients/client-form.ts';
import { clientsText } from '../../election/clients/client-form.ts';
import type { Truth } from '../../election/properties.ts';
import { historyLines } from '../../experiment/charts/history-picture.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';

const MODEL = registerModel();

/** The member of an answer. */
export const clientsSchema = z.object({
  form: z.string().describe('The clients with their options.'),
  operations: z.int().describe('Operations that took effect or may have done so.'),
  unknown: z.int().describe('Operations whose outcome the client does not know.'),
  linearizable: z.enum(['true', 'false', 'unknown']),
  violation: z
    .object({
      isFirst: z.boolean().describe('Whether the part begins with the run.'),
      operations: z.array(z.string()).readonly(),
    })
    .optional()
    .describe('The smallest part that is not linearizable, whatever the other operations did.'),
});

export type ClientsAnswer = z.output<typeof clientsSchema>;

/** Whether the history of the clients is linearizable. Null without clients. */
export function linearizabilityOf(simulation: Simulation): Truth | null {
  const history = simulation.history();
  return history && linearize(MODEL, history).value;
}

/** Null without clients. */
export function clientsOf(simulation: Simulation): ClientsAnswer | null {
  const history = simulation.history();
  const { clients } = simulation.plan;
  return history === null || clients === null ? null : answerOf(clients, history);
}

/** The answer for a history. One that continues an earlier history can find anything at first. */
export function answerOf(
  clients: Clients,
  history: readonly RegisterOperation[],
  continues = false,
): ClientsAnswer {
  const model = continues ? { ...MODEL, initial: MODEL.anyState } : MODEL;
  const { value } = linearize(model, history);
  const violation = value === 'false' ? smallestViolation(model, history) : null;
  return {
    form: clientsText(clients),
    operations: history.length,
    unknown: history.filter(({ returned }) => returned === null).length,
    linearizable: value,
    ...(violation && {
      violation: { isFirst: violation.isFirst, operations: linesOf(violation.operations) },
    }),
  };
}

function linesOf(operations: readonly RegisterOperation[]): string[] {
  return historyLines(operations, MODEL.describe);
}

/** Rows for people. */
export function clientRows({
  form,
  operations,
  unknown,
  linearizable,
  violation,
}: ClientsAnswer): (readonly [name: string, text: string])[] {
  const counts = `${form}: ${operations} operations, ${unknown} without a known outcome`;
  const verdict = { true: 'linearizable', false: 'NOT linearizable', unknown: 'not judged' };
  return [
    ['clients', `${counts}; ${verdict[linearizable]}`],
    ...(violation?.operations ?? []).map((line) => ['', line] as const),
  ];
}
