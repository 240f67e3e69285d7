/**
 * @module
 * `usurp lab`: the browser lab as files for any web server.
 */

import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';

import { staticLab } from '../../../server/pages/static-lab.ts';
import { LabError } from '../../errors.ts';
import { shellWord } from '../../experiment/reading/shell-word.ts';
import { codeOf, makeFolder } from '../../runtime/files/file-sink.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

interface LabOptions extends OutputOptions {
  readonly static?: string;
  readonly force?: true;
}

const HELP = `
The API runs in the browser of the reader: races, elections, threat models, checks and the other operations, without classes and
live nodes. Nothing is kept when the page is closed.

Exit codes: 0 the files are written; 254 the folder has other files, or a part of the lab is not built.

Examples:
  usurp lab --static public
  python3 -m http.server --bind 127.0.0.1 --directory public 8000`;

export function labCommand(session: Session): Command {
  return verb('lab', 'Write the browser lab as files that any web server can serve.')
    .option('--static <folder>', 'where the files are written, such as public')
    .option('--force', 'write over the files of an earlier lab in this folder')
    .addHelpText('after', HELP)
    .action((options: LabOptions) =>
      session.run(options, (terminal) => writeLab(options, terminal)),
    );
}

async function writeLab(options: LabOptions, { print, note }: Terminal): Promise<ExitCode> {
  const { static: folder, force = false } = options;
  if (folder === undefined || folder === '') {
    const detail =
      'name the folder of the files: usurp lab --static FOLDER; usurp serve serves the lab with everything';
    throw new LabError('arguments', detail);
  }
  const files = staticLab();
  const present = await readdir(folder).catch((error: unknown): string[] => {
    if (codeOf(error) === 'ENOENT') return [];
    throw new LabError('file.unwritable', `${folder} is no folder that can be read`);
  });
  // No file of another site is replaced, also with --force.
  const isLab = present.includes('thread') && present.includes('index.html');
  if (present.length > 0 && !(force && isLab)) {
    const remedy = isLab ? 'write over it with --force' : 'name an empty or a new folder';
    throw new LabError('file.exists', `${folder} contains files; ${remedy}`);
  }
  let bytes = 0;
  for (const [name, content] of files) {
    const path = join(folder, name);
    makeFolder(dirname(path));
    await writeFile(path, content);
    bytes += content.length;
  }
  note(
    `${files.size} files, ${(bytes / 1e6).toFixed(1)} MB; try them: python3 -m http.server --bind 127.0.0.1 --directory ${shellWord(folder)} 8000`,
  );
  const page = join(folder, 'index.html');
  print(
    wantsJson(options) ? `${JSON.stringify({ page, files: files.size, bytes })}\n` : `${page}\n`,
  );
  return EXIT.holds;
}
