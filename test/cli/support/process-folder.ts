import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { useFolder } from '../../service/support/data-folder.js';
import { CUBE, OPEN_CUBE } from '../../service/support/models.js';

const FILES = { 'cube.stl': CUBE, 'open.stl': OPEN_CUBE, 'note.stl': 'no model at all' };

/** Registers hooks of a folder for each test, with a solid (`cube.stl`), an open model (`open.stl`) and a text (`note.stl`). */
export function useProcessFolder(assign: (folder: string) => void): void {
  let folder: string;
  useFolder((created) => {
    folder = created;
    assign(folder);
  });

  beforeEach(async () => {
    for (const [name, content] of Object.entries(FILES)) await writeFile(path.join(folder, name), content);
  });
}
