/**
 * @module
 * This folder is for definitions in files of the user: `usurp new` writes a commented skeleton with its
 * test, and `usurp conform` checks a file. The skeletons are the files in examples/definitions.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { BEHAVIOUR_NAMES } from '../../adversary/behaviours/registry.ts';
import { DEFENCE_NAMES } from '../../election/defences/registry.ts';
import type { DefinitionKind } from '../../election/definition/definitions.ts';
import { DETECTOR_NAMES } from '../../election/detectors/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { NETWORK_DEFENCE_NAMES } from '../../experiment/document/defence-names.ts';
import { PROPERTY_NAMES } from '../../experiment/properties/registry.ts';
import { OPERATION_NAMES } from '../../operations/registry.ts';
import { capitalized } from '../../printable.ts';
import { IS_INSTALLED } from '../../runtime/load/builds.ts';
import { nameProblem } from '../../runtime/load/load-definitions.ts';
import { PUBLIC_MODULES } from '../../runtime/load/module-hooks.ts';
import { CHECKOUT, PROGRAM } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText, writeWhole } from '../shell/files.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

/** The names that exist, of each kind. */
const NAMES = {
  protocol: PROTOCOL_NAMES,
  behaviour: BEHAVIOUR_NAMES,
  defence: [...DEFENCE_NAMES, ...NETWORK_DEFENCE_NAMES],
  detector: DETECTOR_NAMES,
  property: PROPERTY_NAMES,
  operation: OPERATION_NAMES,
} as const satisfies Readonly<Record<DefinitionKind, readonly string[]>>;
const KINDS = 'protocol, behaviour, defence, detector, property or operation';
/** Windows has no files of these names, with any ending. */
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

const SKELETONS = join(CHECKOUT, 'examples', 'definitions');
const ENDINGS = ['.ts', '.test.ts'];
const TSCONFIG = 'tsconfig.json';

/** The command `new`. */
export function newCommand(session: Session): Command {
  return verb('new', 'Write a skeleton of a definition, its test, and a tsconfig.json for editors.')
    .argument('<kind>', `what to define: ${KINDS}`)
    .argument(
      '<name>',
      'its name: lower-case words with hyphens, which is also the name of the file',
    )
    .addHelpText('after', HELP)
    .action((kind: string, name: string, options: OutputOptions) =>
      session.run(options, (terminal) => writeSkeleton(kindOf(kind), name, options, terminal)),
    );
}

const HELP = `
Writes NAME.ts, NAME.test.ts and tsconfig.json into this folder, which needs no node_modules. No file is ever
overwritten, not even tsconfig.json. "usurp conform ./NAME.ts" checks the definition and
runs its test; every verb with --load can use it.

Examples:
  usurp new protocol my-ring
  usurp conform ./my-ring.ts
  usurp elect --load ./my-ring.ts my-ring --nodes 5`;

async function writeSkeleton(
  kind: DefinitionKind,
  name: string,
  options: OutputOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  assertFree(kind, name);
  const written = ENDINGS.map((ending) => `${name}${ending}`);
  const existing = written.find((file) => existsSync(file));
  if (existing !== undefined) {
    const detail = `${existing} exists and was left unchanged; choose another name`;
    throw new LabError('file.exists', detail);
  }
  const paths = ENDINGS.map((ending) => join(SKELETONS, `example-${kind}${ending}`));
  const skeletons = await Promise.all(paths.map((path) => readText(path, terminal)));
  const constant = constantOf(name);
  if (skeletons.some((text) => new RegExp(`\\b${constant}\\b`).test(text))) {
    const detail = `"${name}" needs the constant ${constant}, which the skeleton uses already; choose another name`;
    throw new LabError('arguments', detail);
  }
  for (const [index, ending] of ENDINGS.entries()) {
    await write(`${name}${ending}`, renamed(skeletons[index] ?? '', kind, name));
  }
  if (existsSync(TSCONFIG)) {
    terminal.note(`${TSCONFIG} exists and was left unchanged`);
  } else {
    await write(TSCONFIG, `${JSON.stringify(compilerConfiguration(), null, 2)}\n`);
    written.push(TSCONFIG);
  }
  terminal.print(
    wantsJson(options)
      ? `${JSON.stringify({ files: written })}\n`
      : written.map((file) => `${file}\n`).join(''),
  );
  terminal.note(`check it: ${PROGRAM} conform ./${name}.ts`);
  return EXIT.holds;
}

function kindOf(text: string): DefinitionKind {
  if (Object.hasOwn(NAMES, text)) return text as DefinitionKind; // It is a key of NAMES.
  throw new LabError('arguments', `kind must be ${KINDS}, got ${JSON.stringify(text)}`);
}

function constantOf(name: string): string {
  return name.replaceAll('-', '_').toUpperCase();
}

function assertFree(kind: DefinitionKind, name: string): void {
  const problem = nameProblem(kind, name) ?? (name.includes(':') ? 'a name has no colon' : null);
  if (problem !== null) throw new LabError('arguments', problem);
  if (WINDOWS_DEVICE.test(name)) {
    const detail = `Windows reserves the file name "${name}"; choose another name`;
    throw new LabError('arguments', detail);
  }
  const names: readonly string[] = NAMES[kind];
  if (!names.includes(name)) return;
  throw new LabError('arguments', `a ${kind} named "${name}" exists already; choose another name`);
}

function write(path: string, text: string): Promise<void> {
  return writeWhole(path, text, { force: null, isPrivate: false });
}

/** The skeleton under its own name: as a word, and as the name of a constant and of types. */
function renamed(skeleton: string, kind: DefinitionKind, name: string): string {
  const words = name.split('-');
  return skeleton
    .replaceAll(`example-${kind}s`, name.endsWith('s') ? name : `${name}s`)
    .replaceAll(`example-${kind}`, name)
    .replaceAll(`EXAMPLE_${kind.toUpperCase()}`, constantOf(name))
    .replaceAll('Example', words.map(capitalized).join(''));
}

/** Gives editors and `tsc -p .` the types of 'usurp', from this checkout or package. */
function compilerConfiguration() {
  const paths = [...PUBLIC_MODULES].map(([name, url]) => [name, [fileURLToPath(url)]]);
  return {
    extends: join(CHECKOUT, TSCONFIG),
    compilerOptions: {
      // A folder without package.json has no module type, which nodenext would take for CommonJS.
      module: 'esnext',
      moduleResolution: 'bundler',
      paths: Object.fromEntries(paths),
      // An installed package has no types of Node: npm install --save-dev @types/node
      ...(!IS_INSTALLED && { typeRoots: [join(CHECKOUT, 'node_modules', '@types')] }),
      // The kernels of the lab are WebAssembly, which this library names.
      lib: ['esnext', 'webworker'],
    },
    include: ['*.ts'],
    exclude: [],
  };
}
