/**
 * @module
 * This folder loads definitions from files of the user. `--load FILE` imports such a file and adds the
 * definitions that it exports to the registries. Worker threads load the same files before anything else
 * (preload.ts), so that a name means the same in every thread. Only the person who starts the process
 * names files.
 */

import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

import type { CheckedWorld, WorldJudge } from '../../checking/properties/world-judge.ts';
import { checkedPropertyOf } from '../../checking/properties/world-judge.ts';
import type {
  Definition,
  DefinitionKind,
  RegistryKind,
} from '../../election/definition/definitions.ts';
import {
  addDefinition,
  definitionOrigin,
  sealDefinitions,
} from '../../election/definition/definitions.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import { LabError } from '../../errors.ts';
import type { Property } from '../../experiment/properties/property.ts';
import { bundledThread } from './builds.ts';
import { examine, shown, thrownText, withCheckedEffects } from './checked-effects.ts';
import { importFile, whereIn } from './import-file.ts';
import { digestOf, registerModuleHooks, sealImports } from './module-hooks.ts';
import { refuseExit } from './process-exit.ts';
import { watched } from './step-watch.ts';
import { isSampled, withoutClock } from './without-clock.ts';

/** A file that was loaded, and what it defines. */
export interface LoadedFile {
  /** The path as the user named it. */
  readonly path: string;
  readonly digest: string;
  readonly definitions: readonly { readonly kind: DefinitionKind; readonly name: string }[];
}

/** The key under which worker threads find the paths. */
const THREAD_DATA = 'usurp.load';
const PRELOAD = new URL('./preload.ts', import.meta.url).href;
const LOADED: LoadedFile[] = [];

/**
 * Loads files of the user, once at the start of the process. Throws LabError `arguments` or `file.missing`
 * that names the file, and where the error is known, its line.
 */
export async function loadDefinitions(paths: readonly string[]): Promise<readonly LoadedFile[]> {
  if (paths.length > 0) {
    registerModuleHooks();
    refuseExit();
  }
  for (const path of paths) LOADED.push(await loadFile(path));
  sealDefinitions();
  if (paths.length > 0) {
    const { sentProblem } = await import('../../election/authentication/message-forms.ts');
    examine({ sentProblem, repeatsSteps: true });
  }
  setEnvironmentData(
    THREAD_DATA,
    LOADED.map(({ path, digest }) => ({ path: resolve(path), digest })),
  );
  return LOADED;
}

/**
 * Loads in a worker thread what the main thread has loaded. Throws LabError `arguments` if a file has
 * changed since, because the results would be stated under the digest of the old version.
 */
export async function loadInThread(): Promise<void> {
  const data = getEnvironmentData(THREAD_DATA);
  // The main thread has written it with loadDefinitions.
  const files = (data ?? []) as readonly Pick<LoadedFile, 'path' | 'digest'>[];
  const loaded = await loadDefinitions(files.map(({ path }) => path));
  sealImports();
  const changed = files.find(({ digest }, index) => loaded[index]?.digest !== digest);
  if (changed === undefined) return;
  const detail = `--load ${changed.path}: has changed since this process loaded it; start the process again`;
  throw new LabError('arguments', detail);
}

/** The command-line arguments of Node with which a worker thread loads the same files. */
export function threadArguments(): readonly string[] {
  return LOADED.length === 0 ? [] : ['--import', PRELOAD];
}

/** What a thread of this script runs. Files of the user share their modules with the sources. */
export function threadScript(script: URL): URL {
  return LOADED.length === 0 ? bundledThread(script) : script;
}

/** The files that were loaded. */
export function loadedFiles(): readonly LoadedFile[] {
  return LOADED;
}

/** Digest of all files that were loaded. Null if there are none. */
export function loadedDigest(): string | null {
  return LOADED.length === 0
    ? null
    : LOADED.map(({ digest }) => digest)
        .toSorted()
        .join('-');
}

async function loadFile(path: string): Promise<LoadedFile> {
  if (!existsSync(path)) throw new LabError('arguments', `there is no file ${path} to load`);
  const url = pathToFileURL(realpathSync(path)).href;
  const exported = await importFile(url, path);
  const definitions = Object.values(exported).flatMap((value) => {
    const origin = definitionOrigin(value);
    // A definition is an object with a name, unless the name is missing, which is checked below.
    return origin === null ? [] : [{ ...origin, value: value as Definition }];
  });
  if (definitions.length === 0) {
    const detail = `--load ${path}: exports no definition; export what defineProtocol({...}) or another define… function returns`;
    throw new LabError('arguments', detail);
  }
  const { memberProblem } = await import('./missing-member.ts');
  for (const { kind, at, value } of definitions) {
    const problem = nameProblem(kind, value.name) ?? memberProblem(kind, value);
    if (problem !== null) {
      throw new LabError('arguments', `--load ${whereIn(at, url) ?? path}: ${problem}`);
    }
    // A property has the members of one, as was checked.
    if (kind === 'property') addProperty(path, withCheckedJudges(value as Property));
    // So has a protocol.
    else if (kind === 'protocol') addNamed(path, kind, withCheckedEffects(path, value as Protocol));
    else addNamed(path, kind, value);
  }
  return {
    path,
    digest: digestOf(url),
    definitions: definitions.map(({ kind, value }) => ({ kind, name: value.name })),
  };
}

/** Adds a property to those of runs, and if it judges worlds, to those of checks. */
function addProperty(path: string, property: Property): void {
  const { name, worlds } = property;
  addNamed(path, 'property', property);
  if (worlds === undefined) return;
  addNamed(path, 'property of worlds', checkedPropertyOf(name, worlds));
}

function addNamed(path: string, kind: RegistryKind, value: Definition): void {
  try {
    addDefinition(kind, value);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError('arguments', `--load ${path}: ${error.message}`);
  }
}

/** Names are printed, typed and written to files. */
const NAME = /^[a-z][a-z0-9]*([-:][a-z0-9]+)*$/;

const NAME_CHARACTERS_MAX = 64;

/** Why a definition cannot have this name. Null if it can. */
export function nameProblem(kind: DefinitionKind, name: unknown): string | null {
  if (name === undefined) return '"name" is missing';
  if (typeof name === 'string' && NAME.test(name)) {
    const isLong = name.length > NAME_CHARACTERS_MAX;
    return isLong ? `the name of a ${kind} has at most ${NAME_CHARACTERS_MAX} characters` : null;
  }
  return `the name of a ${kind} must be lower-case words with hyphens, such as "my-${kind}", got ${JSON.stringify(name)}`;
}

type Judge = (...evidence: readonly unknown[]) => unknown;

/**
 * The same property, whose judges check what they read and what they return. The judges of a property of the user.
 * Node does not check types, so that a misspelt member of the evidence would read as undefined, and the property
 * would hold in no run. Such a member is refused here, and so is an answer that is not a boolean. A judge of worlds
 * must be a function of the world.
 */
function withCheckedJudges(property: Property): Property {
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
