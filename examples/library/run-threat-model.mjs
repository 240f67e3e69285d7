// Asks a threat model of the catalogue with a stronger adversary.
import { run } from 'usurp/experiment';

const set = { work: 'sampled', 'adversaries.main.budget.attempts': 640 };
const { verdict, results } = await run({ threatModel: 'top-id', set, runs: 500, seed: '1' });
console.log(verdict.sentence);
for (const { protocols, measured, theory } of results) {
  console.log(protocols.join(), measured.frequency, 'theory', theory?.probability.toFixed(3));
}
