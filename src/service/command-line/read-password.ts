import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { StartError } from '../start-error.js';

const MIN_LENGTH = 8;
const MAX_LENGTH = 1024;

/** Where a password is typed, and where it is asked for. */
export interface PasswordStreams {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

/** The first line that comes, without its end. What is typed is not shown. */
function readLine({ input, output }: PasswordStreams, question: string): Promise<string> {
  return new Promise((resolve) => {
    const isTerminal = input.isTTY === true;
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const reader = createInterface({ input, output: nowhere, terminal: isTerminal });
    let line = '';
    if (isTerminal) output.write(question);
    reader.once('line', (text) => {
      line = text;
      reader.close();
    });
    reader.once('SIGINT', () => reader.close());
    reader.once('close', () => {
      if (isTerminal) output.write('\n');
      resolve(line);
    });
  });
}

/** Reads a password: from the terminal, where it is asked for twice and not shown, or else the first line of the input. Throws `USAGE`. */
export async function readPassword(streams: PasswordStreams): Promise<string> {
  const password = await readLine(streams, 'Password: ');
  const length = [...password].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    const message = `a password has ${MIN_LENGTH} to ${MAX_LENGTH} characters: type it, or send it as the first line of stdin`;
    throw new StartError('USAGE', message);
  }
  if (streams.input.isTTY === true && (await readLine(streams, 'Once more: ')) !== password) {
    throw new StartError('USAGE', 'the two passwords are not the same');
  }
  return password;
}
