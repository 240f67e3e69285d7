/**
 * @module
 * The judges of a property of the user. Node does not check types, so that a misspelt member of the
 * evidence would read as undefined, and the property would hold in no run. Such a member is refused here,
 * and so is an answer that is not a boolean.
 */

import { LabError } from '../../errors.ts';
import type { Property } from '../../experiment/properties/property.ts';

type Judge = (...evidence: readonly unknown[]) => unknown;

/** The same property, whose judges check what they read and what they return. */
export function withCheckedJudges(property: Property): Property {
  const judges = Object.entries(property.judges).map(([kind, judge]) => {
    // Each judge is called with the evidence of its own kind, as before.
    const checked = judge === null ? null : checkedJudge(property.name, kind, judge as Judge);
    return [kind, checked];
  });
  // The kinds are those of the property's judges.
  return { ...property, judges: Object.fromEntries(judges) as Property['judges'] };
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
