/**
 * @module
 * The hints of an exercise with their costs. A class charges the cost of each once.
 */

import { useSignal } from '@preact/signals';

import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { counted } from '../parts/numbers.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import { Markdown } from './markdown.tsx';

interface HintsProps {
  readonly exercise: Schema<'Exercise'>;
  readonly ofClass: Schema<'Class'>;
}

export function Hints({ exercise: { name, hints }, ofClass }: HintsProps) {
  const taken = useSignal<Readonly<Record<number, Schema<'Hint'>>>>({});
  const { error, attempt } = useAttempt();
  if (hints.length === 0 || !ofClass.hints) return null;
  const charged = ofClass.exercises.find((each) => each.name === name)?.hintsTaken ?? [];
  const take = (number: number) =>
    attempt(async () => {
      const params = { path: { name, number: String(number) } };
      const hint = await answerOf(api.POST('/v1/exercises/{name}/hints/{number}', { params }));
      taken.value = { ...taken.value, [number]: hint };
    });
  return (
    <section>
      <h2>Hints</h2>
      <ErrorNotice error={error.value} />
      <ol>
        {hints.map(({ title, cost }, index) => {
          const hint = taken.value[index + 1];
          const price = charged.includes(index + 1) ? 'taken before' : counted(cost, 'point');
          return (
            <li key={title}>
              {title}{' '}
              {hint === undefined ? (
                <button type="button" class="beside-text" onClick={() => void take(index + 1)}>
                  Take this hint ({price})
                </button>
              ) : (
                <Markdown text={hint.content} />
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
