/**
 * @module
 * The form that starts a race: sliders of the plan, and buttons that race and stop.
 */

import type { ComponentChildren } from 'preact';

import { counted } from '../parts/numbers.ts';
import type { RacePlan, Range } from './plan.ts';
import { budgetOf } from './plan.ts';
import type { Race } from './use-race.ts';
import { nextRace } from './use-race.ts';

interface RaceFormProps {
  readonly class: string;
  readonly plan: RacePlan;
  readonly race: Race;
  readonly children: ComponentChildren;
}

export function RaceForm({ class: name, plan, race, children }: RaceFormProps) {
  const { rules, isRunning } = race;
  return (
    <form
      class={name}
      onSubmit={(event) => {
        event.preventDefault();
        race.start(nextRace(plan, race));
      }}
    >
      {children}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isRunning}>
          {rules === null ? 'Race' : 'Race again'}
        </button>
        {isRunning ? (
          <button type="button" onClick={race.stop}>
            Stop
          </button>
        ) : null}
      </div>
    </form>
  );
}

interface PlanSliderProps extends Range {
  readonly plan: RacePlan;
  readonly change: (changes: Partial<RacePlan>) => void;
}

export function DifficultySlider({ plan, change, ...range }: PlanSliderProps) {
  return (
    <Slider
      {...{ name: 'Difficulty', ...range, value: plan.c1, text: `${plan.c1} zero bits` }}
      onChange={(c1) => change({ c1 })}
    />
  );
}

export function BudgetSlider({ plan, change, ...range }: PlanSliderProps) {
  return (
    <Slider
      {...{ name: 'Forger’s budget', ...range, value: plan.budgetBits }}
      text={counted(budgetOf(plan), 'attempt')}
      onChange={(budgetBits) => change({ budgetBits })}
    />
  );
}

interface SliderProps extends Range {
  readonly name: string;
  readonly value: number;
  /** The value in words, beside the name. */
  readonly text: string;
  readonly onChange: (value: number) => void;
}

/** The sliders of a race: each has its number and what the number means. */
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
