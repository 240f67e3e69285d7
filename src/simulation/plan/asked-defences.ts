/**
 * @module
 * The defences that a run is asked for, by name: what there is, what fits, and what those change that are
 * settings. Everything else is refused with what would be right.
 */

import type { Level } from '../../election/authenticated.ts';
import { defencesFault, settingsOf } from '../../election/defences/defended.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import { DEFENCE_NAMES, DEFENCES, findDefence } from '../../election/defences/registry.ts';
import type { Flags } from '../../election/flags.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';

import type { Workload } from './workload.ts';

/** What settings change. */
export interface Changeable {
  readonly protocol: ProtocolName;
  readonly level?: Level | undefined;
  readonly flags?: Flags | undefined;
  readonly workload?: Workload | undefined;
  readonly defences?: readonly string[] | undefined;
}

/** Every defence that is something for a protocol, in the order of the registry. */
export function fittingDefences(protocol: ProtocolName): readonly DefenceName[] {
  return DEFENCE_NAMES.filter((name) => DEFENCES[name].unsupportedReason(protocol) === null);
}

/**
 * The defences of a run, in the order of the registry. Throws LabError `arguments` for one that there is
 * not, that does not fit protocol or level, or that is a setting, which `withSettings` applies.
 */
export function planDefences(
  asked: readonly string[],
  run: { readonly protocol: ProtocolName; readonly level: Level | null },
): readonly DefenceName[] {
  assertFitting(asked, run);
  const setting = asked.find((name) => findDefence(name)?.kind === 'setting');
  if (setting === undefined) return DEFENCE_NAMES.filter((name) => asked.includes(name));
  const detail = `${setting} is a setting of the run, not of its nodes: say ${settingWords(setting, run.protocol)}`;
  throw new LabError('arguments', `defences: ${detail}`);
}

/**
 * The options with what the settings among these defences change, and the other defences in `defences`.
 * Throws LabError `arguments` for defences that there are not, or that do not fit.
 */
export function withSettings<Options extends Changeable>(
  options: Options,
  asked: readonly string[],
): Options {
  const { protocol, flags, level = null } = options;
  assertFitting(asked, { protocol, level });
  const chosen = DEFENCE_NAMES.filter((name) => asked.includes(name));
  const setting = settingsOf(chosen, protocol);
  const defences = chosen.filter((name) => DEFENCES[name].kind !== 'setting');
  const changed = {
    ...(setting.flags === undefined ? {} : { flags: { ...flags, ...setting.flags } }),
    ...(setting.work === undefined ? {} : { workload: setting.work }),
    ...(setting.protocol === undefined ? {} : { protocol: setting.protocol }),
  };
  return { ...options, ...changed, defences };
}

function assertFitting(
  asked: readonly string[],
  run: { readonly protocol: ProtocolName; readonly level: Level | null },
): void {
  const fault = defencesFault(asked, run);
  if (fault === null) return;
  const { protocol } = run;
  const fitting = fittingDefences(protocol);
  const isUnknown = asked.some((name) => findDefence(name) === null);
  const fits = fitting.length === 0 ? 'none does' : fitting.join(', ');
  const rest = isUnknown || fault.includes('twice') ? '' : `; what fits ${protocol}: ${fits}`;
  throw new LabError('arguments', `defences: ${fault}${rest}`);
}

function settingWords(name: string, protocol: ProtocolName): string {
  const chosen = DEFENCE_NAMES.filter((each) => each === name);
  const { flags = {}, work, protocol: other } = settingsOf(chosen, protocol);
  const words = [
    ...Object.entries(flags).map(([flag, value]) => `flag ${flag}=${value}`),
    ...(work === undefined ? [] : [`work on a resource that is ${work.resource}`]),
    ...(other === undefined ? [] : [`protocol ${other}`]),
  ];
  return words.join(', ');
}
