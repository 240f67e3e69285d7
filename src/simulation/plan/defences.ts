/**
 * @module
 * The defences of a run, by name: those that exist, those that fit the protocol, and those that are settings
 * and change other options. Throws LabError `arguments` for every other name, with what is allowed.
 */

import type { Level } from '../../election/authentication/authenticated.ts';
import { defencesFault, settingsOf } from '../../election/defences/defended.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import { DEFENCE_NAMES, DEFENCES, findDefence } from '../../election/defences/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { SimulationOptions } from './plan.ts';

interface Guarded {
  readonly protocol: ProtocolName;
  readonly level: Level | null;
}

/** The options that a setting may change. */
type Changeable = Pick<SimulationOptions, 'protocol' | 'level' | 'flags' | 'workload' | 'defences'>;

/** Every defence that fits a protocol, in the order of the registry. */
export function fittingDefences(protocol: ProtocolName): readonly DefenceName[] {
  return DEFENCE_NAMES.filter((name) => DEFENCES[name].unsupportedReason(protocol) === null);
}

/** The defences in the order of the registry. Refuses a setting, which `withSettings` applies. */
export function planDefences(names: readonly string[], run: Guarded): readonly DefenceName[] {
  const defences = checkedDefences(names, run);
  const setting = defences.find((name) => DEFENCES[name].kind === 'setting');
  if (setting === undefined) return defences;
  const { flags = {}, work, protocol } = settingsOf([setting], run.protocol);
  const changes = [
    ...Object.entries(flags).map(([flag, value]) => `flag ${flag}=${value}`),
    ...(work === undefined ? [] : [`a workload on a resource that is ${work.resource}`]),
    ...(protocol === undefined ? [] : [`protocol ${protocol}`]),
  ];
  const detail = `${setting} is a setting of the run, not of its nodes: use ${changes.join(', ')}`;
  throw new LabError('arguments', `defences: ${detail}`);
}

/** The options after the settings among these defences, with the other defences in `defences`. */
export function withSettings<Options extends Changeable>(
  options: Options,
  names: readonly string[],
): Options {
  const { protocol, flags, level = null } = options;
  const chosen = checkedDefences(names, { protocol, level });
  const setting = settingsOf(chosen, protocol);
  return {
    ...options,
    ...(setting.flags === undefined ? {} : { flags: { ...flags, ...setting.flags } }),
    ...(setting.work === undefined ? {} : { workload: setting.work }),
    ...(setting.protocol === undefined ? {} : { protocol: setting.protocol }),
    defences: chosen.filter((name) => DEFENCES[name].kind !== 'setting'),
  };
}

function checkedDefences(names: readonly string[], run: Guarded): readonly DefenceName[] {
  const problem = defencesFault(names, run);
  if (problem === null) return DEFENCE_NAMES.filter((name) => names.includes(name));
  const fitting = fittingDefences(run.protocol).join(', ') || 'none';
  const isListed = names.some((name) => findDefence(name) === null) || problem.includes('twice');
  const rest = isListed ? '' : `; these fit ${run.protocol}: ${fitting}`;
  throw new LabError('arguments', `defences: ${problem}${rest}`);
}
