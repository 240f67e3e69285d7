/**
 * @module
 * The state of the election in one sentence, its verdict, and each property in one sentence.
 */

import type { Election } from '../../api/contract.ts';
import { Verdict } from '../../parts/verdict.tsx';
import { propertyLines, stateSentence } from '../session/sentences.ts';

export function VerdictPanel({ election }: { readonly election: Election }) {
  const { verdict } = election;
  return (
    <section class="verdict-panel panel" aria-label="State and verdict">
      <p class="state-sentence" role="status">
        {stateSentence(election)}
      </p>
      <p class="verdict-line">
        <Verdict value={verdict.value}>{verdict.reason}</Verdict>
      </p>
      <ul class="properties">
        {propertyLines(verdict.properties).map(({ name, value, sentence }) => (
          <li key={name}>
            <Verdict value={value} word={name}>
              <span class="property-sentence">{sentence}</span>
            </Verdict>
          </li>
        ))}
      </ul>
    </section>
  );
}
