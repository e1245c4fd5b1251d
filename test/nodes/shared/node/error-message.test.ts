import 'should';
import { formatErrorMessage } from '../../../../nodes/shared/node/error-message.js';

describe('formatErrorMessage', () => {
  const ID = '1f2e3d4c-0000-4000-8000-123456789abc';

  it('leads with the name of the file, then what happened; ids come last', () => {
    formatErrorMessage(`The import ${ID} failed: Invalid STL: no triangles.`, 'letter.stl').should.equal(
      `letter.stl: import failed: Invalid STL: no triangles. (${ID})`,
    );
    formatErrorMessage(`Could not read the status of operation ${ID}: no connection.`, 'part.stl').should.equal(
      `part.stl: Could not read the status of operation: no connection. (${ID})`,
    );
  });

  it('names an unknown id once, at the end', () => {
    const message = `Could not download file ${ID}: No file with id ${ID}.`;
    formatErrorMessage(message, undefined).should.equal(`Could not download file: No such file. (${ID})`);
  });

  it('returns a message unchanged that contains the file and no id', () => {
    const message = 'Could not read /in/part.stl (ENOENT).';
    formatErrorMessage(message, 'part.stl').should.equal(message);
    formatErrorMessage('The import failed.', undefined).should.equal('The import failed.');
  });
});
