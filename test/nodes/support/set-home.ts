/** Sets the home folder of this process. Returns a function that restores it. */
export function setHome(folder: string): () => void {
  const name = process.platform === 'win32' ? 'USERPROFILE' : 'HOME';
  const previous = process.env[name];
  process.env[name] = folder;
  return () => {
    if (previous === undefined) delete process.env[name];
    else process.env[name] = previous;
  };
}
