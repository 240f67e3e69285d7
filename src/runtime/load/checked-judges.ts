/**
 * @module
 * The judges of a property of the user. Node does not check types, so that a misspelt member of the
 * evidence would read as undefined, and the property would hold in no run. Such a member is refused here,
 * and so is an answer that is not a boolean. A judge of worlds must be a function of the world.
 */

import type { CheckedWorld, WorldJudge } from '../../checking/properties/world-judge.ts';
import { LabError } from '../../errors.ts';
import type { Property } from '../../experiment/properties/property.ts';
import { shown, thrownText } from './checked-effects.ts';
import { watched } from './step-watch.ts';
import { isSampled, withoutClock } from './without-clock.ts';

type Judge = (...evidence: readonly unknown[]) => unknown;

/** The same property, whose judges check what they read and what they return. */
export function withCheckedJudges(property: Property): Property {
  const judges = Object.entries(property.judges).map(([kind, judge]) => {
    // Each judge is called with the evidence of its own kind, as before.
    const checked = judge === null ? null : checkedJudge(property.name, kind, judge as Judge);
    return [kind, checked];
  });
  const { worlds } = property;
  // The kinds are those of the property's judges.
  const checked = { ...property, judges: Object.fromEntries(judges) as Property['judges'] };
  return worlds === undefined
    ? checked
    : { ...checked, worlds: checkedWorldJudge(property.name, worlds) };
}

const BOOLEAN = { type: 'boolean', text: 'true or false' } as const;
const WORDS = { type: 'string', text: 'words' } as const;

function checkedWorldJudge(name: string, judge: WorldJudge): WorldJudge {
  return {
    ...judge,
    holds: pureJudge(`property ${name}: worlds.holds`, judge.holds, BOOLEAN),
    breach: pureJudge(`property ${name}: worlds.breach`, judge.breach, WORDS),
  };
}

/** Worlds that are judged again. */
const KEPT_MAX = 8;

/**
 * The function, which must give the same answer for the same world. Each world is judged twice in a row. The worlds of
 * the first calls are judged again when the answer changes, and at the calls 1, 2, 4, 8 …, without clock and chance.
 */
function pureJudge<Answer extends boolean | string>(
  who: string,
  judge: (world: CheckedWorld) => Answer,
  wanted: { readonly type: 'boolean' | 'string'; readonly text: string },
): (world: CheckedWorld) => Answer {
  const refuse = (detail: string): never => {
    throw new LabError('arguments', `${who} ${detail}`);
  };
  const ask = (world: CheckedWorld): Answer => {
    let answer: Answer;
    try {
      answer = watched(who, () => judge(world));
    } catch (error) {
      if (error instanceof LabError) throw error;
      return refuse(`throws ${thrownText(error)}`);
    }
    if (typeof answer === wanted.type) return answer;
    return refuse(`must return ${wanted.text}, got ${shown(answer)}`);
  };
  const kept: { readonly world: CheckedWorld; readonly answer: Answer }[] = [];
  let [calls, last]: [number, Answer | null] = [0, null];
  return (world) => {
    calls += 1;
    const isSample = isSampled(calls);
    const answer = isSample ? withoutClock('it', () => ask(world)) : ask(world);
    const judged = { world, answer };
    for (const before of isSample || answer !== last ? [...kept, judged] : [judged]) {
      const again = ask(before.world);
      if (again === before.answer) continue;
      const said = `says ${shown(before.answer)} and then ${shown(again)} of the same world`;
      refuse(`${said}: it must be a function of the world alone, without memory, clock and chance`);
    }
    last = answer;
    if (isSample && kept.length < KEPT_MAX) kept.push(judged);
    return answer;
  };
}

function checkedJudge(name: string, kind: string, judge: Judge): Judge {
  const refuse = (detail: string): never => {
    throw new LabError('arguments', `property ${name}: judges.${kind} ${detail}`);
  };
  return (...evidence) => {
    const answer = judge(...evidence.map((each) => guarded(each, refuse)));
    return typeof answer === 'boolean'
      ? answer
      : refuse(`must return true or false, got ${JSON.stringify(answer)}`);
  };
}

/** The evidence, which refuses to be asked for a member that it does not have. */
function guarded(value: unknown, refuse: (detail: string) => never): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return new Proxy(value, {
    get(target, member) {
      if (member in target || typeof member === 'symbol') return Reflect.get(target, member);
      return refuse(`reads "${member}"; the evidence has ${Object.keys(target).join(', ')}`);
    },
  });
}
