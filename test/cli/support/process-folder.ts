import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createFolder } from '../../service/support/data-folder.js';
import { CUBE, OPEN_CUBE } from '../../service/support/models.js';

/** Creates a folder with a solid (`cube.stl`), an open model (`open.stl`) and a text file (`note.stl`). */
export async function createProcessFolder(): Promise<string> {
  const folder = await createFolder();
  await writeFile(path.join(folder, 'cube.stl'), CUBE);
  await writeFile(path.join(folder, 'open.stl'), OPEN_CUBE);
  await writeFile(path.join(folder, 'note.stl'), 'no model at all');
  return folder;
}
