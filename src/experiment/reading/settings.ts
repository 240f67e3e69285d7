/**
 * @module
 * Settings, `path=value`, change members of a threat model without another file. The path is dotted
 * from the root. The value is a YAML scalar, list or map. `null` removes the member, so that its default
 * applies again. A missing map is created, except an adversary: `adversaries.NAME={…}` adds a whole one,
 * and a deeper path with an unknown name is refused as a mistake.
 */

import { jsonPointer, LabError } from '../../errors.ts';
import { FAULTS_MAX, SETTING_CHARACTERS_MAX, SETTINGS_MAX } from '../document/limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { threatModelJsonSchema } from '../document/threat-model.ts';
import { isKnownPath } from './nearest.ts';
import { checkThreatModel, unknownMember } from './schema-faults.ts';
import { readYaml } from './yaml.ts';

/** A change of one member, parsed. */
export interface Setting {
  /** `path=value`, as `--set` takes it. */
  readonly text: string;
  readonly path: readonly string[];
  /** Plain data. Null removes the member. */
  readonly value: unknown;
}

type Members = Record<string, unknown>;

/**
 * Returns the model with the settings applied in their order, validated once at the end. Throws LabError
 * `arguments` that names the setting.
 */
export function applySettings(model: ThreatModel, settings: readonly Setting[]): ThreatModel {
  if (settings.length > SETTINGS_MAX) {
    throw new LabError(
      'arguments',
      `at most ${SETTINGS_MAX} settings are accepted, got ${settings.length}`,
    );
  }
  const changed: Members = structuredClone(model);
  for (const setting of settings) applySetting(changed, setting);
  const checked = checkThreatModel(changed);
  if (checked.outcome === 'valid') return checked.model;
  const faults = checked.faults.slice(0, FAULTS_MAX).map((fault) => ({
    pointer: jsonPointer(fault.path),
    detail: `${settingsAbout(settings, fault.path)}: ${fault.text}`,
  }));
  throw new LabError('arguments', faults.map((fault) => fault.detail).join('\n'), faults);
}

/** Parses `path=value`. Throws LabError `arguments` that names the setting. */
export function readSetting(text: string): Setting {
  if (text.length > SETTING_CHARACTERS_MAX) {
    throw refusal(text, `a setting has at most ${SETTING_CHARACTERS_MAX} characters`);
  }
  const equals = text.indexOf('=');
  const source = text.slice(equals + 1);
  const path = knownPath(text.slice(0, Math.max(0, equals)), text);
  const reading = readYaml(source);
  if (reading.outcome === 'refused') {
    throw refusal(text, reading.faults[0]?.text ?? 'the value is not YAML');
  }
  if (source.trim() === '') throw refusal(text, 'has no value; write null to remove the member');
  return { text, path, value: reading.data };
}

/** The setting of a member to a scalar, or to the list or map that a text in YAML's flow style states. */
export function settingOf(path: string, value: string | number | boolean | null): Setting {
  const text = `${path}=${value}`;
  if (typeof value !== 'string') return { text, path: knownPath(path, text), value };
  const reading = readYaml(value);
  const isPlain = reading.outcome === 'read' && (reading.data === value || /^[[{]/.test(value));
  return readSetting(isPlain ? text : `${path}=${JSON.stringify(value)}`);
}

/**
 * The setting of a member to plain data, which `text` states as `--set` takes it. Throws LabError `arguments` that
 * names the setting.
 */
export function settingTo(path: string, value: unknown, text: string): Setting {
  if (text.length > SETTING_CHARACTERS_MAX) {
    throw refusal(text, `a setting has at most ${SETTING_CHARACTERS_MAX} characters`);
  }
  if ([value].flat().includes('__proto__')) throw refusal(text, '__proto__ is not accepted');
  return { text, path: knownPath(path, text), value };
}

function knownPath(dotted: string, text: string): readonly string[] {
  const path = dotted.split('.');
  if (path.includes('')) throw refusal(text, 'must be path=value, for example network.honest=9');
  // Assigning it would change the prototype of a map instead of adding a member.
  if (path.includes('__proto__')) throw refusal(text, '__proto__ is not a member of anything');
  if (!isKnownPath(threatModelJsonSchema(), path)) throw refusal(text, unknownMember(path).text);
  return path;
}

function applySetting(root: Members, setting: Setting): void {
  const { path, text } = setting;
  let parent = root;
  for (const [depth, name] of path.slice(0, -1).entries()) {
    const isAdversary = path[0] === 'adversaries' && depth === 1;
    if (!Object.hasOwn(parent, name) && !isAdversary) parent[name] = {};
    const child = parent[name];
    if (!isMembers(child)) throw refusal(text, absentParent(parent, path.slice(0, depth + 1)));
    parent = child;
  }
  const last = path.at(-1) ?? '';
  if (setting.value === null) delete parent[last];
  else parent[last] = setting.value;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function absentParent(parent: Members, path: readonly string[]): string {
  if (path[0] !== 'adversaries' || path.length !== 2) {
    return `${path.join('.')} is not a map after the settings before this one`;
  }
  const names = Object.keys(parent).sort();
  const there = names.length === 0 ? 'there is none' : `known: ${names.join(', ')}`;
  return (
    `there is no adversary ${path.at(-1)} (${there}); ` +
    `to add one, give it as a whole: adversaries.${path.at(-1)}={budget: {attempts: 64}}`
  );
}

/** Names the last setting that concerns the member of a fault, or all settings if none does. */
function settingsAbout(settings: readonly Setting[], path: readonly string[]): string {
  const touching = settings.filter((setting) =>
    setting.path.every((part, at) => at >= path.length || path[at] === part),
  );
  const blamed = touching.length > 0 ? touching.slice(-1) : settings;
  return `setting ${blamed.map((setting) => shortened(setting.text)).join(' ')}`;
}

function refusal(text: string, problem: string): LabError {
  return new LabError('arguments', `setting ${shortened(text)}: ${problem}`);
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
