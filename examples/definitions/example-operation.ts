/**
 * @module
 * An operation of your own: a question that a person can ask. `usurp example-operation --load ./example-operation.ts`
 * asks it in a terminal. `usurp serve --load ./example-operation.ts` offers POST /v1/example-operations, a job, and a
 * form in the browser. All of them follow from the facts below.
 */

import { amount, defineOperation, replayOf, z } from 'usurp/operation';

/** What a person enters. The flag of `c1` is --c1, and that of `joinTime` would be --join-time. */
const MEMBERS = {
  c1: amount({
    kind: 'count',
    bounds: { min: 0, max: 60 },
    // The ends of the slider in the browser: 10^0 and 10^1.8.
    slider: [0, 1.8],
    label: 'Static puzzle',
    meaning: 'Number of zero bits of the static puzzle',
    example: '8',
    // One of required, initial and otherwise says what its absence means.
    required: true,
  }),
  count: amount({
    kind: 'count',
    bounds: { min: 1, max: 1e6 },
    slider: [0, 6],
    label: 'Identities',
    meaning: 'Number of identities that are wanted',
    example: '3',
    initial: 1,
  }),
};

const VERB = { name: 'example-operation', members: MEMBERS } as const;

export const EXAMPLE_OPERATION = defineOperation({
  ...VERB,
  collection: 'example-operations',
  title: 'Attempts until the k-th ID',
  summary: 'state the expected attempts until the k-th identity',
  description: 'Each attempt succeeds with probability 2^-c1, whatever the others did.',
  // What it answers. Every output has the command that computes it again.
  output: z.object({
    attempts: z.number().describe('Expected attempts until the last identity is found.'),
    deviation: z.number().describe('Standard deviation of these attempts.'),
    replay: z.string(),
  }),
  answersWhileTyping: true,
  measuresTime: false,
  // Members that do not fit together are refused here, with LabError.
  check() {},
  // What takes milliseconds is answered at once. `run` is for everything else: it has threads, progress and an abort.
  atOnce(input) {
    const chance = 2 ** -input.c1;
    const attempts = input.count / chance;
    const deviation = Math.sqrt(input.count * (1 - chance)) / chance;
    return { attempts, deviation, replay: replayOf(VERB, input) };
  },
  run: async () => null,
  outcomeOf: () => 'holds',
  outcomes: { holds: 'answered', violated: null, unknown: null },
  report: ({ attempts, deviation }) => [
    { type: 'sentence', text: `About ${attempts} attempts are expected.`, verdict: null },
    { type: 'facts', rows: [['standard deviation', `${Math.round(deviation)} attempts`]] },
  ],
  picture: () => null,
  table: () => null,
  has: { picture: false, table: false },
  examples: [{ c1: '8', count: '3' }],
});
