/**
 * @module
 * `npm run docs`: makes the generated parts of all documents anew.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../cli/shell.ts';
import { readDocuments } from './markdown.ts';
import { withSections } from './sections.ts';

for (const { path, text } of readDocuments()) {
  const updated = await withSections(text);
  if (updated === text) continue;
  writeFileSync(join(ROOT, path), updated);
  console.log(`${path} is up to date now`);
}
