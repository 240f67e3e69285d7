/**
 * @module
 * A slider over the steps of something that happens: before the first step, after each, and after the last.
 */

interface StepSliderProps {
  /** What a step is, such as "Event". */
  readonly name: string;
  readonly count: number;
  readonly position: number;
  readonly show: (position: number) => void;
}

export function StepSlider({ name, count, position, show }: StepSliderProps) {
  return (
    <label class="step-slider">
      <span>
        {name} {position} of {count}
      </span>
      <input
        type="range"
        min={0}
        max={count}
        value={position}
        onInput={(event) => show(Number(event.currentTarget.value))}
      />
    </label>
  );
}
