/**
 * @module
 * The named policies with their flaws in words. Each can be raced.
 */

import { ErrorNotice } from '../parts/notice.tsx';
import { RowChoice } from '../parts/row-choice.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useAnswer } from '../shell/use-answer.ts';
import type { NamedPolicy } from './requests.ts';
import { namedPolicies } from './requests.ts';

interface PoliciesProps {
  readonly chosen: string;
  readonly onChoose: (policy: NamedPolicy) => void;
}

export function Policies({ chosen, onChoose }: PoliciesProps) {
  const { value: policies, error } = useAnswer(namedPolicies);
  return (
    <section>
      <h2>Policies</h2>
      <p>
        A policy is what a network demands of an ID. Some are weak on purpose. Choose one to race
        against it.
      </p>
      <ErrorNotice error={error} />
      <div class="scrolling wide">
        <table>
          <TableHead columns={['Policy', 'It demands', 'Bits', 'Flaw']} numbers={['Bits']} />
          <tbody>
            {policies?.map((policy) => (
              <PolicyRow key={policy.name} {...{ policy, chosen, onChoose }} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function PolicyRow({ policy, chosen, onChoose }: PoliciesProps & { readonly policy: NamedPolicy }) {
  const { name, summary, weakness } = policy;
  const { c1, c2 } = policy.policy;
  return (
    <tr>
      <RowChoice
        of="policy"
        {...{ name, isChosen: name === chosen }}
        onChoose={() => onChoose(policy)}
      />
      <td>{sentence(summary)}</td>
      <td class="number whole">{Number(c2) === 0 ? c1 : `${c1} + ${c2}`}</td>
      <td>
        {weakness === null || weakness === undefined ? (
          'None known.'
        ) : (
          <>
            {sentence(weakness.flaw)}.{' '}
            <span class="soft">
              Gain: {weakness.gain}. Cost: {weakness.cost}.
            </span>
          </>
        )}
      </td>
    </tr>
  );
}

/** A phrase with a capital letter at its beginning. */
function sentence(phrase: string): string {
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}
