/**
 * @module
 * The loaded files of the user as saved runs name them: by digest and by what they define. A saved run
 * never contains a path or code.
 */

import { LabError } from '../../errors.ts';
import type { UsedFile } from '../../simulation/report/saved-run.ts';
import { loadedFiles } from './load-definitions.ts';

/** The files of this process. */
export function usedFiles(): readonly UsedFile[] {
  return loadedFiles().map(({ digest, definitions }) => ({
    digest,
    defines: definitions.map(({ kind, name }) => `${kind} ${name}`),
  }));
}

/** Throws LabError `arguments` if one of these files is not loaded, or has changed since. */
export function assertLoaded(needed: readonly UsedFile[]): void {
  const present = usedFiles();
  for (const { digest, defines } of needed) {
    if (present.some((file) => file.digest === digest)) continue;
    const names = defines.join(', ');
    const other = present.find((file) => file.defines.some((each) => defines.includes(each)));
    const detail =
      other === undefined
        ? `needs the file that defines ${names} (digest ${digest}), which is not loaded; name it with --load`
        : `needs the file that defines ${names} with digest ${digest}, and the loaded file has digest ${other.digest}; it has changed since the run was saved, so load the version of that time`;
    throw new LabError('arguments', detail);
  }
}
