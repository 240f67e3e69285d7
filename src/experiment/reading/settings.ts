/**
 * @module
 * Settings, `path=value`, change members of a threat model without another file. The path is dotted
 * from the root, the value is a YAML scalar, list or map; `null` takes the member away, so that its
 * default (or nothing) stands there again. A map that is not there is made, but for a whole adversary,
 * which is added by `adversaries.NAME={…}`: a deeper path into a name that does not exist is a mistake.
 */

import { jsonPointer, LabError } from '../../errors.ts';
import { FAULTS_MAX, SETTING_CHARACTERS_MAX, SETTINGS_MAX } from '../document/limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { THREAT_MODEL_JSON_SCHEMA } from '../document/threat-model.ts';
import { isKnownPath } from './nearest.ts';
import { checkThreatModel, unknownMember } from './schema-faults.ts';
import { readYaml } from './yaml.ts';

interface Setting {
  readonly text: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

type Members = Record<string, unknown>;

/**
 * The model with the settings applied in their order and validated as a whole at the end. Throws
 * LabError `arguments` that names the setting.
 */
export function applySettings(model: ThreatModel, settings: readonly string[]): ThreatModel {
  if (settings.length > SETTINGS_MAX) {
    throw new LabError(
      'arguments',
      `at most ${SETTINGS_MAX} settings are accepted, got ${settings.length}`,
    );
  }
  const parsed = settings.map(parseSetting);
  const changed: Members = structuredClone(model);
  for (const setting of parsed) applySetting(changed, setting);
  const checked = checkThreatModel(changed);
  if (checked.outcome === 'valid') return checked.model;
  const faults = checked.faults.slice(0, FAULTS_MAX).map((fault) => ({
    pointer: jsonPointer(fault.path),
    detail: `${settingsAbout(parsed, fault.path)}: ${fault.text}`,
  }));
  throw new LabError('arguments', faults.map((fault) => fault.detail).join('\n'), faults);
}

function parseSetting(text: string): Setting {
  if (text.length > SETTING_CHARACTERS_MAX) {
    throw refusal(text, `a setting has at most ${SETTING_CHARACTERS_MAX} characters`);
  }
  const equals = text.indexOf('=');
  const path = text.slice(0, Math.max(0, equals)).split('.');
  if (equals < 1 || path.includes('')) {
    throw refusal(text, 'must be path=value, for example network.honest=9');
  }
  // Assigning it would change the prototype of a map instead of adding a member.
  if (path.includes('__proto__')) throw refusal(text, '__proto__ is not a member of anything');
  const reading = readYaml(text.slice(equals + 1));
  if (reading.outcome === 'refused') {
    throw refusal(text, reading.faults[0]?.text ?? 'the value is not YAML');
  }
  if (reading.data === null && text.slice(equals + 1).trim() === '') {
    throw refusal(text, 'has no value; write null to take the member away');
  }
  return { text, path, value: reading.data };
}

function applySetting(root: Members, setting: Setting): void {
  const { path, text } = setting;
  if (!isKnownPath(THREAT_MODEL_JSON_SCHEMA, path)) throw refusal(text, unknownMember(path).text);
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
    return `${path.join('.')} is no map of members after the settings before this one`;
  }
  const names = Object.keys(parent).sort();
  const there = names.length === 0 ? 'there is none' : `there is ${names.join(', ')}`;
  return (
    `no map is at ${path.join('.')} (${there}); ` +
    `to add an adversary write it whole, adversaries.${path.at(-1)}={budget: {attempts: 64}}`
  );
}

/** The setting that a fault comes from: the last that touches its member, else all of them. */
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
