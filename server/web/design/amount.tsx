/**
 * @module
 * A number of the question: as a text with its unit, and as a slider on a logarithmic scale.
 */

import { keepInAddress } from '../shell/router.ts';
import type { Member } from './members.ts';
import { roughValue, SLIDER_STEPS, stepOf, textOf, valueAt } from './members.ts';

interface AmountProps {
  readonly member: Member;
  readonly query: Readonly<Record<string, string>>;
  /** Why the server refuses the number. Null if it accepts it. */
  readonly fault: string | null;
}

export function Amount({ member, query, fault }: AmountProps) {
  const { name, label, meaning } = member;
  const text = textOf(member, query);
  const rough = roughValue(text);
  const set = (value: string) => keepInAddress({ [name]: value });
  const note = `${name}-note`;
  return (
    <div class="amount">
      <label>
        {label}
        <input
          {...{ name, value: text }}
          autocomplete="off"
          inputMode="decimal"
          aria-describedby={note}
          aria-invalid={fault === null ? undefined : true}
          onInput={(event) => set(event.currentTarget.value)}
        />
      </label>
      <input
        type="range"
        aria-label={`${label}, slider`}
        aria-valuetext={text === '' ? 'chosen by the server' : text}
        {...{ min: 0, max: SLIDER_STEPS, step: 1 }}
        value={rough === null ? 0 : stepOf(member, rough)}
        onInput={(event) => set(valueAt(member, Number(event.currentTarget.value)))}
      />
      <p id={note} class={fault === null ? 'meaning' : 'meaning fault'}>
        {fault ?? meaning}
      </p>
    </div>
  );
}
