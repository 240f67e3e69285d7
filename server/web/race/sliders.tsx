/**
 * @module
 * The sliders of a race: each has its number and what the number means.
 */

import type { Range } from './plan.ts';

interface SliderProps extends Range {
  readonly name: string;
  readonly value: number;
  /** The value in words, beside the name. */
  readonly text: string;
  readonly onChange: (value: number) => void;
}

export function Slider({ name, value, min, max, text, onChange }: SliderProps) {
  return (
    <label class="slider">
      <span class="slider-name">
        {name} <output>{text}</output>
      </span>
      <input
        type="range"
        aria-label={name}
        aria-valuetext={text}
        {...{ min, max, value }}
        step={1}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
    </label>
  );
}
