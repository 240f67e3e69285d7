/**
 * @module
 * The named policies with their flaws in words. Each can be raced.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { ErrorNotice } from '../parts/notice.tsx';
import { asksForSignIn } from '../shell/sign-in.tsx';
import type { NamedPolicy } from './requests.ts';
import { namedPolicies } from './requests.ts';
import { sentence } from './words.ts';

interface PoliciesProps {
  readonly chosen: string;
  readonly onChoose: (policy: NamedPolicy) => void;
}

export function Policies({ chosen, onChoose }: PoliciesProps) {
  const policies = useSignal<readonly NamedPolicy[]>([]);
  const error = useSignal<unknown>(null);
  useEffect(() => {
    namedPolicies().then(
      (items) => {
        policies.value = items;
      },
      (refusal: unknown) => {
        if (!asksForSignIn(refusal)) error.value = refusal;
      },
    );
  }, []);
  return (
    <section>
      <h2>Policies</h2>
      <p>
        A policy is what a network demands of an ID. Some are weak on purpose. Choose one to race
        against it.
      </p>
      <ErrorNotice error={error.value} />
      <div class="scrolling wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Policy</th>
              <th scope="col">It demands</th>
              <th scope="col" class="number">
                Bits
              </th>
              <th scope="col">Flaw</th>
            </tr>
          </thead>
          <tbody>
            {policies.value.map((policy) => (
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
      <th scope="row">
        <label class="choice">
          <input
            type="radio"
            name="policy"
            checked={name === chosen}
            onChange={() => onChoose(policy)}
          />
          {name}
        </label>
      </th>
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
