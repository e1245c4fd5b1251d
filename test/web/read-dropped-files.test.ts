import should from 'should';
import { readDroppedFiles } from '../../src/web/models/read-dropped-files.js';

function createFile(fullPath: string, isReadable = true) {
  const file = new File(['x'], fullPath.replace(/.*\//, ''));
  const read = (resolve: (file: File) => void, reject: (error: Error) => void): void =>
    isReadable ? resolve(file) : reject(new Error('NotReadableError'));
  return { fullPath, isDirectory: false, file: read };
}

function createFolder(fullPath: string, entries: object[]) {
  const createReader = () => {
    const parts = [entries, []]; // the last part is empty
    return { readEntries: (resolve: (part: object[]) => void): void => resolve(parts.shift() ?? []) };
  };
  return { fullPath, isDirectory: true, createReader };
}

function createTransfer(...entries: object[]): DataTransfer {
  const items = entries.map((entry) => ({ webkitGetAsEntry: () => entry }));
  return { items, files: [] } as unknown as DataTransfer;
}

describe('readDroppedFiles', () => {
  it('returns the files of folders with their paths in their names', async () => {
    const inner = createFolder('/printer/left', [createFile('/printer/left/part.stl')]);
    const found = await readDroppedFiles(createTransfer(createFolder('/printer', [inner]), createFile('/cube.stl')));
    found.map(({ filename }) => filename).should.deepEqual(['printer - left - part.stl', 'cube.stl']);
  });

  it('leaves out hidden files', async () => {
    const folder = createFolder('/printer', [createFile('/printer/.DS_Store'), createFile('/printer/part.stl')]);
    should((await readDroppedFiles(createTransfer(folder))).length).equal(1);
  });

  it('leaves out a file that cannot be read, and returns the others of its folder', async () => {
    const entries = [createFile('/printer/locked.stl', false), createFile('/printer/part.stl')];
    const found = await readDroppedFiles(createTransfer(createFolder('/printer', entries)));
    found.map(({ filename }) => filename).should.deepEqual(['printer - part.stl']);
  });
});
