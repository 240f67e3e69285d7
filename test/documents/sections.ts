/**
 * @module
 * The generated parts of the documents, each between two comments, `<!-- generated: protocols -->` and
 * `<!-- end -->`. They show what the command line lists, the registries, the JSON Schema and the OpenAPI
 * document. `npm run docs` writes them; a test compares them.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { problemPage } from '../../server/contract/problem.ts';
import { RELATIONS, RIGHTS } from '../../server/elections/sharing/rights.ts';
import { blockText } from '../../src/cli/operations/report-text.ts';
import { DEFENCE_NAMES } from '../../src/election/defences/registry.ts';
import { TOPOLOGIES } from '../../src/election/topology/registry.ts';
import { ERROR_CODES } from '../../src/errors.ts';
import { GOALS } from '../../src/exercise/goals/registry.ts';
import { NETWORK_DEFENCE_NAMES } from '../../src/experiment/document/defence-names.ts';
import { PROPERTIES, PROPERTY_NAMES } from '../../src/experiment/properties/registry.ts';
import { REFUSAL_CODES } from '../../src/identity/admit.ts';
import type { PaperRow } from '../../src/operations/reproduce/paper.ts';
import { missingOf } from '../../src/operations/reproduce/paper.ts';
import { readExercises } from '../../src/runtime/files/exercises.ts';
import { readPapers } from '../../src/runtime/files/papers.ts';
import { ROOT, usurp } from '../cli/shell.ts';
import { foundReport } from '../experiment/attack/matrix-found.ts';
import type { StagedAttack, StoppedAttack } from '../experiment/attack/staged-pairs.ts';
import { recordedPairs } from '../experiment/attack/staged-pairs.ts';
import { ANSWERS, SECRET_CELLS } from '../server/elections/sharing/secret-cells.ts';
import { choicesUnder } from './choices.ts';
import { drawnFaults, faultMatrix, faultReasons } from './fault-tables.ts';
import type { ListedDefence, ListedOption, ListedProtocol } from './listed.ts';
import { listAttacks, listElections, listMining, listModels, listScenarios } from './listed.ts';
import type { Schema } from './schema-members.ts';
import { membersOf } from './schema-members.ts';
import { block, code, codes, list, sentence, table } from './tables.ts';

const MARKED = /(?<=<!-- generated: ([\w-]+)(?: ([\w-]+))? -->\n).*?(?=<!-- end -->)/gs;

/** What a part of this name contains, for an argument such as the name of a verb. */
const SECTIONS: Readonly<Record<string, (argument: string) => Promise<string> | string>> = {
  help: helpText,
  verbs,
  protocols: async () => protocolTable((await listElections()).protocols),
  'protocol-details': async () => (await listElections()).protocols.map(protocolDetails).join('\n'),
  topologies: () =>
    table(
      ['topology', 'links'],
      TOPOLOGIES.map(({ example, summary }) => [code(example.text), sentence(summary)]),
    ),
  detectors,
  resources,
  scenarios,
  behaviours,
  defences,
  'attack-matrix': () =>
    block(
      foundReport()
        .slice(0, 3)
        .map((each) => blockText(each, false).text)
        .join('\n'),
    ),
  'attack-sets': () =>
    block(
      foundReport()
        .slice(3)
        .map((each) => blockText(each, false).text)
        .join('\n'),
    ),
  'drawn-faults': drawnFaults,
  'fault-matrix': faultMatrix,
  'fault-reasons': faultReasons,
  strategies,
  policies,
  museum,
  models,
  exercises,
  papers,
  goals: () =>
    table(
      ['goal', 'submission', 'what it requires'],
      GOALS.map(({ name, submission, summary }) => [code(name), code(submission), summary]),
    ),
  'model-members': modelMembers,
  'model-properties': () =>
    table(
      ['property', 'a run has it if'],
      PROPERTY_NAMES.map((name) => [code(name), sentence(PROPERTIES[name].description)]),
    ),
  endpoints,
  rights: () =>
    table(
      ['to', ...RELATIONS],
      Object.values(RIGHTS).map(({ what, relations }) => [
        what,
        ...RELATIONS.map((relation) => (relations.includes(relation) ? 'yes' : 'no')),
      ]),
    ),
  secrets: () =>
    table(
      ['secret', ...ANSWERS],
      Object.entries(SECRET_CELLS).map(([secret, cells]) => [
        secret,
        ...ANSWERS.map((answer) => cells[answer].join(', ') || 'no caller'),
      ]),
    ),
  problems: () =>
    table(
      ['code', 'status', 'meaning', 'remedy'],
      [...ERROR_CODES, ...REFUSAL_CODES].map((name) => {
        const { status, title, remedy } = problemPage(name);
        return [code(name), String(status), title, remedy];
      }),
    ),
};

/** The text of a document with all of its generated parts made anew. */
export async function withSections(text: string): Promise<string> {
  const made = new Map<number, string>();
  for (const { index, 1: name = '', 2: argument = '' } of text.matchAll(MARKED)) {
    const section = SECTIONS[name];
    if (section === undefined) throw new Error(`there is no generated part ${name}`);
    const content = await section(argument);
    // A member of what the command line lists was renamed: its type in listed.ts is not checked.
    if (/\bundefined\b/.test(content)) throw new Error(`${name} has a value that is not listed`);
    made.set(index, `\n${content}\n`);
  }
  return text.replace(MARKED, (before, _name, _argument, index: number) => {
    return made.get(index) ?? before;
  });
}

async function helpText(verb: string): Promise<string> {
  const { stdout, stderr, code: exit } = await usurp([verb, '--help']);
  if (exit !== 0) throw new Error(`usurp ${verb} --help failed: ${stderr}`);
  return block(stdout);
}

async function verbs(): Promise<string> {
  const { stdout } = await usurp(['--help']);
  const [, commands = ''] = stdout.split('Commands:\n');
  const rows = [...commands.matchAll(/^ {2}([\w-]+).*?\s{2,}(.*(?:\n {4,}.*)*)$/gm)];
  return table(
    ['verb', 'what it does'],
    rows.map(([, name = '', text = '']) => [
      `[${name}](${name}.md)`,
      sentence(text.replace(/\s+/g, ' ')),
    ]),
  );
}

function protocolTable(protocols: readonly ListedProtocol[]): string {
  return table(
    ['protocol', 'family', 'elects', 'links', 'source'],
    protocols.map(({ name, family, elects, fifo, source }) => [
      `[${code(name)}](#${name.replace(':', '')})`,
      family,
      elects,
      fifo ? 'FIFO' : 'any',
      source,
    ]),
  );
}

function protocolDetails(protocol: ListedProtocol): string {
  const { name, messageBound, assumes, messageTypes, flags, numbers, attributes } = protocol;
  const variants = Object.entries(flags).map(([flag, values]) => {
    return `${code(flag)} = ${codes(values)}`;
  });
  return `### ${name}\n\n${list([
    ['Assumes', assumes],
    // A variable such as n keeps its case.
    [
      'Messages',
      /^[a-z](?![a-z])/.test(messageBound) ? `${messageBound}.` : sentence(messageBound),
    ],
    ['Message types', codes(messageTypes)],
    ['Flags, the default first', variants.length === 0 ? null : variants.join('; ')],
    ['Numbers', numbers.length === 0 ? null : optionsText(numbers)],
    ['Attribute', attributes === null ? null : sentence(attributes)],
  ])}`;
}

async function detectors(): Promise<string> {
  const { detectors: all } = await listElections();
  const rows = all.map(({ name, rule, messageBound, source, options }) => [
    ...[code(name), sentence(rule), messageBound === '0' ? 'none' : messageBound],
    ...[options.length === 0 ? null : optionsText(options), source],
  ]);
  return table(['detector', 'rule', 'messages', 'options', 'source'], rows);
}

/** The published results, each with its source and its numbers, then those that cannot be computed. */
async function papers(): Promise<string> {
  const all = await readPapers();
  const known = all.filter((paper) => missingOf(paper) === null);
  const parts = known.map(({ name, title, citation, claim, unit, rows }) => {
    const numbers = rows.map((row) => [row.at, numberText(row), row.source, whyText(row)]);
    return `## ${title}\n\n${claim}\n\n${citation}.\n\n\`npx usurp reproduce ${name}\`\n\n${table(['at', `published (${unit})`, 'source', 'why it may differ'], numbers)}`;
  });
  const others = all.filter((paper) => !known.includes(paper));
  const missing = others.flatMap(({ title, citation, unit, rows }) =>
    rows.map((row) => [title, `${row.at}: ${numberText(row)} ${unit}`, row.why ?? null, citation]),
  );
  const heads = ['result', 'published', 'what is missing', 'paper'];
  return [...parts, `## Not reproduced\n\n${table(heads, missing)}`].join('\n');
}

function whyText({ why, differs }: PaperRow): string {
  return [why, differs === undefined ? undefined : `It differs: ${differs}`]
    .filter((text) => text !== undefined)
    .join(' ');
}

function numberText({ published, bound, isOurs }: PaperRow): string {
  const sign = bound === undefined ? '' : { atMost: '≤ ', atLeast: '≥ ' }[bound];
  return published === null ? '-' : `${sign}${published}${isOurs === true ? ' (ours)' : ''}`;
}

async function resources(): Promise<string> {
  const { resources: all } = await listElections();
  return table(
    ['resource', 'rule', 'options'],
    all.map(({ name, rule, options }) => [code(name), sentence(rule), optionsText(options)]),
  );
}

/** Names and meanings of options, with bounds and defaults for an election at latency 1. */
function optionsText(options: readonly ListedOption[]): string {
  return options
    .map(({ name, meaning, values, min, max, default: byDefault }) => {
      const range = values?.join(' or ') ?? (min === undefined ? null : `${min} to ${max}`);
      const notes = [range, byDefault === undefined ? null : `default ${byDefault}`];
      const note = notes.filter((text) => text !== null).join(', ');
      return `${code(name)}: ${meaning}${note === '' ? '' : ` (${note})`}`;
    })
    .join('; ');
}

async function scenarios(): Promise<string> {
  const all = await listScenarios();
  const parts = all.map(({ name, title, aliases, nodes, explanation, source }) => {
    const facts = list([
      ['Other names', aliases.length === 0 ? null : codes(aliases)],
      ['Nodes', `${nodes.usual} by default, ${nodes.min} to ${nodes.max}`],
      ['Source', source],
    ]);
    return `### ${name}\n\n${sentence(title)} ${explanation}\n\n${facts}`;
  });
  return parts.join('\n');
}

async function behaviours(): Promise<string> {
  const [{ behaviours: all }, protocols] = [await listAttacks(), await protocolNames()];
  const pairs: Readonly<Record<string, StagedAttack>> = recordedPairs().behaviours;
  const parts = all.map(({ name, attack, aim, forge, summary, fits }) => {
    const facts = list([
      ['Attack', attack],
      ['Aim', code(aim)],
      ['Forges', forge === 'none' ? null : `an identity (${code(forge)})`],
      ['Protocols', namesText(fits, protocols)],
      ['Shown by', commandText(pairs[name])],
    ]);
    return `### ${name}\n\n${summary}\n\n${facts}`;
  });
  return parts.join('\n');
}

async function defences(): Promise<string> {
  const [{ defences: all }, protocols] = [await listAttacks(), await protocolNames()];
  const pairs: Readonly<Record<string, StoppedAttack>> = recordedPairs().defences;
  const parts = all.map((defence) => {
    const { name, code: number, needsLevel, summary } = defence;
    const facts = list([
      ['Code', number],
      ['Lowest level', needsLevel],
      ['Protocols', fitsText(defence, protocols)],
      ...choicesText(name),
      ...defence.limits.map(
        (each) => [`Limit on ${codes(each.protocols)}`, sentence(each.limit)] as const,
      ),
      ['Shown by', shownBy(pairs[name])],
    ]);
    return `### ${name}\n\n${summary}\n\n${facts}`;
  });
  return parts.join('\n');
}

/** What an adversary can choose under a defence. */
function choicesText(name: string): readonly (readonly [string, string])[] {
  const known = [...DEFENCE_NAMES, ...NETWORK_DEFENCE_NAMES].find((each) => each === name);
  if (known === undefined) return [];
  const { count, where, when, behaviours } = choicesUnder(known);
  const text = `how many: ${count}; where: ${where}; when: ${when}; behaviours: ${behaviours}`;
  return [['Responses of an adversary', sentence(text)]];
}

/** A command whose attack succeeds. */
function commandText(attack: StagedAttack | undefined): string | null {
  if (attack === undefined) return null;
  const { protocol, behaviour, level } = attack;
  return code(`usurp attack ${protocol} --behaviours ${behaviour} --level ${level}`);
}

/** A command whose attack succeeds without the defence, and not with it. */
function shownBy(attack: StoppedAttack | undefined): string | null {
  const [, ...others] = attack?.defences ?? [];
  const beside = others.length === 0 ? '' : `, beside ${codes(others)}`;
  return attack === undefined ? null : `${commandText(attack)}${beside}`;
}

async function protocolNames(): Promise<readonly string[]> {
  return (await listElections()).protocols.map(({ name }) => name);
}

function fitsText({ fits, forgedOnly }: ListedDefence, all: readonly string[]): string {
  if (forgedOnly.length === 0) return namesText(fits, all);
  const always = fits.filter((name) => !forgedOnly.includes(name));
  const forged = `${namesText(fits, all)} if identities are forged`;
  return always.length === 0 ? forged : `${forged}; otherwise ${codes(always)}`;
}

function namesText(names: readonly string[], all: readonly string[]): string {
  return names.length === all.length ? 'all' : codes(names);
}

async function strategies(): Promise<string> {
  const { strategies: all } = await listMining();
  return table(
    ['strategy', 'finds', 'how'],
    all.map(({ name, finds, summary }) => [code(name), finds, sentence(summary)]),
  );
}

async function policies(): Promise<string> {
  const { policies: all } = await listMining();
  const bits = ({ c1, c2 }: { readonly c1: number; readonly c2: number }) => `${c1} + ${c2}`;
  const count = (hashes: number) => (hashes < 1e6 ? String(hashes) : hashes.toExponential(2));
  return table(
    ['policy', 'c1 + c2', 'real', 'hashes, 1 ID', '16 IDs', 'what it demands', 'flaw', 'reference'],
    all.map(({ name, nominal, real, hashes, summary, weakness, reference }) => [
      ...[code(name), bits(nominal), bits(real), count(hashes.one), count(hashes.sixteen)],
      ...[sentence(summary), weakness === null ? null : sentence(weakness.flaw), reference],
    ]),
  );
}

async function museum(): Promise<string> {
  const { policies: all } = await listMining();
  const bits = (attempts: number) => (attempts === 0 ? '0' : `2^${round(Math.log2(attempts))}`);
  const round = (value: number) => Number(value.toFixed(1));
  return table(
    ['policy', 'c1 + c2', 'what the attack gains', 'cost', 'keys to test', '`strict` refuses by'],
    all.flatMap(({ name, nominal, weakness }) =>
      weakness === null
        ? []
        : [
            [
              ...[`[${code(name)}](#${name})`, `${nominal.c1} + ${nominal.c2}`],
              ...[sentence(weakness.gain), sentence(weakness.cost)],
              ...[bits(weakness.attempts), code(weakness.refusedBy)],
            ],
          ],
    ),
  );
}

async function exercises(): Promise<string> {
  const all = await readExercises();
  return table(
    ['exercise', 'task', 'difficulty', 'points', 'requires'],
    all.map(({ name, title, difficulty, points, requires }) => [
      code(name),
      title,
      String(difficulty),
      String(points),
      codes(requires),
    ]),
  );
}

async function models(): Promise<string> {
  const all = await listModels();
  return table(
    ['threat model', 'title'],
    all.map(({ id, title }) => [`[${id}](../threat-models/${id}.yaml)`, title]),
  );
}

function modelMembers(top: string): string {
  const schema: Schema = readJson('threat-models/threat-model.schema.json');
  const all = membersOf(schema).filter(({ path }) => {
    const isNested = path.includes('.');
    return top === '' ? !isNested : path.startsWith(`${top}.`);
  });
  return table(
    ['member', 'value', 'default', 'meaning'],
    all.map(({ path, form, byDefault, isRequired, description }) => [
      code(path),
      form,
      isRequired ? 'required' : byDefault === null ? null : code(byDefault),
      description,
    ]),
  );
}

interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly summary: string; readonly tags: string[] }>>>
  >;
}

function endpoints(): string {
  const { tags, paths }: OpenApi = readJson('server/contract/openapi.json');
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const parts = tags.map(({ name, description }) => {
    const rows = all
      .filter((operation) => operation.tags.includes(name))
      .map(({ path, method, summary }) => [
        code(`${method.toUpperCase()} ${path}`),
        sentence(summary),
      ]);
    return `### ${sentence(name).slice(0, -1)}\n\n${description}\n\n${table(['endpoint', 'what it does'], rows)}`;
  });
  return parts.join('\n');
}

function readJson(path: string) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}
