/**
 * @module
 * A member of an input as a field of a form. Its value is in the address.
 */

import { isRepeated } from '../../../src/operations/command-words.ts';
import type { Entry } from '../../../src/operations/member.ts';
import { ChoiceField } from '../parts/fields.tsx';
import type { QueryProps } from '../shell/router.ts';
import { keepInAddress } from '../shell/router.ts';
import type { Member } from './draft.ts';
import { initialIn, textIn } from './draft.ts';
import { roughValue, SLIDER_STEPS, stepOf, valueAt } from './slider.ts';

interface FieldProps extends QueryProps {
  readonly member: Member;
  /** Why the server refuses the value. Null if it accepts it. */
  readonly fault: string | null;
}

export function Field({ member, query, fault }: FieldProps) {
  const { name, label, meaning, absence, entry } = member;
  const note = `${name}-note`;
  const text = textIn(query, member);
  const initial = initialIn(member);
  const usual = 'otherwise' in absence && entry.as !== 'switch' ? absence.otherwise : initial;
  const isSlider = entry.as === 'quantity' || entry.as === 'quantities';
  return (
    <div class={isSlider ? 'field amount' : 'field'}>
      <Input {...{ member, note, text }} isRefused={fault !== null} />
      {isSlider ? <SliderInput {...{ name, label, entry }} text={text || initial} /> : null}
      <p id={note} class={fault === null ? 'meaning' : 'meaning fault'}>
        {fault ?? `${meaning}.${usual === '' ? '' : ` If empty: ${usual}.`}`}
      </p>
    </div>
  );
}

interface InputProps {
  readonly member: Member;
  readonly text: string;
  readonly note: string;
  readonly isRefused: boolean;
}

function Input({ member, text, note, isRefused }: InputProps) {
  const { name, label, entry, absence, example, each = {} } = member;
  const keep = (value: string) => keepInAddress({ [name]: value });
  const described = { 'aria-describedby': note, 'aria-invalid': isRefused ? true : undefined };
  if (entry.as === 'switch') {
    return (
      <label class="switch">
        <input
          type="checkbox"
          {...{ name, ...described }}
          checked={text === '1'}
          onChange={(event) => keep(event.currentTarget.checked ? '1' : '0')}
        />
        {label}
      </label>
    );
  }
  if (entry.as === 'choices')
    return <Choices {...{ name, label, text, of: entry.of, note, each }} />;
  if (entry.as === 'choice' || entry.as === 'policy') {
    const unset = 'otherwise' in absence ? [['', absence.otherwise] as const] : [];
    const listed = entry.of.map(
      (of) => [of, each[of] === undefined ? of : `${of}: ${each[of]}`] as const,
    );
    return (
      <ChoiceField
        {...{ name, label, value: text, set: keep, options: [...unset, ...listed], ...described }}
      />
    );
  }
  const placeholder = initialIn(member) || `such as ${example}`;
  const shared = { name, value: text, placeholder, autocomplete: 'off', ...described };
  if (isRepeated(entry) || entry.as === 'file') {
    return (
      <label>
        {label}
        <textarea {...shared} rows={2} onInput={(event) => keep(event.currentTarget.value)} />
      </label>
    );
  }
  const names = Object.entries(each);
  const list = names.length === 0 ? undefined : `${name}-names`;
  return (
    <label>
      {label}
      <input {...shared} list={list} onInput={(event) => keep(event.currentTarget.value)} />
      {list === undefined ? null : (
        <datalist id={list}>
          {names.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </datalist>
      )}
    </label>
  );
}

interface ChoicesProps extends Pick<Member, 'name' | 'label' | 'each'> {
  readonly of: readonly string[];
  readonly text: string;
  readonly note: string;
}

/** Names to choose, in the order in which they are chosen. */
function Choices({ name, label, of, text, note, each: meanings = {} }: ChoicesProps) {
  const chosen = text.split(',').filter((each) => each !== '');
  const choose = (each: string, isChosen: boolean) => {
    const others = chosen.filter((other) => other !== each);
    keepInAddress({ [name]: (isChosen ? [...others, each] : others).join(',') });
  };
  return (
    <fieldset aria-describedby={note}>
      <legend>{label}</legend>
      <div class={Object.keys(meanings).length > 0 ? 'choices explained' : 'choices'}>
        {[...new Set([...of, ...chosen])].map((each) => (
          <label key={each} class="switch">
            <input
              type="checkbox"
              {...{ name, value: each, checked: chosen.includes(each) }}
              onChange={(event) => choose(each, event.currentTarget.checked)}
            />
            {meanings[each] === undefined ? (
              each
            ) : (
              <span>
                <strong>{each}</strong>: {meanings[each]}
              </span>
            )}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SliderProps {
  readonly name: string;
  readonly label: string;
  readonly entry: Extract<Entry, { slider: unknown }>;
  readonly text: string;
}

/** A logarithmic scale. */
function SliderInput({ name, label, entry, text }: SliderProps) {
  const { kind, slider } = entry;
  const rough = roughValue(text);
  return (
    <input
      type="range"
      aria-label={`${label}, slider`}
      aria-valuetext={text === '' ? 'chosen by the server' : text}
      {...{ min: 0, max: SLIDER_STEPS, step: 1 }}
      value={rough === null ? 0 : stepOf(slider, rough)}
      onInput={(event) => {
        keepInAddress({ [name]: valueAt({ kind, slider }, Number(event.currentTarget.value)) });
      }}
    />
  );
}
