import 'should';
import { readLogLine } from '../../../../nodes/shared/local-service/service-log.js';

describe('readLogLine', () => {
  it('returns level and message, followed by the other properties', () => {
    const line = '{"level":"error","time":1700000000000,"msg":"could not sweep","file":"a.part"}';
    readLogLine(line).should.deepEqual({ level: 'error', message: 'could not sweep (file: a.part)' });
  });

  it('returns information on a single operation as debug', () => {
    const fields = '"operationId":"1f2e","operation":"repair","ms":12';
    const message = 'Completed (operationId: 1f2e, operation: repair, ms: 12)';
    readLogLine(`{"level":"info",${fields},"msg":"Completed"}`).should.deepEqual({ level: 'debug', message });
    readLogLine(`{"level":"warn",${fields},"msg":"Completed"}`).should.deepEqual({ level: 'warn', message });
    readLogLine('{"level":"info","folder":"/data","msg":"Starting"}').level.should.equal('info');
  });

  it('appends the message of an error, or its stack to a line of the level error', () => {
    const err = '"err":{"type":"Error","message":"no space","stack":"Error: no space\\n    at a.js:1:2"}';
    readLogLine(`{"level":"warn","file":"a",${err},"msg":"could not sweep"}`).message.should.equal(
      'could not sweep (file: a): no space',
    );
    readLogLine(`{"level":"error",${err},"msg":"could not sweep"}`).message.should.equal(
      'could not sweep: Error: no space\n    at a.js:1:2',
    );
  });

  it('maps trace to debug and fatal to error', () => {
    readLogLine('{"level":"trace","msg":"m"}').level.should.equal('debug');
    readLogLine('{"level":"fatal","msg":"m"}').level.should.equal('error');
  });

  it('returns a line that is no log record unchanged, as a warning', () => {
    for (const line of ['(node:1) Warning: odd', '{ broken', '{"level":"loud","msg":"m"}', '{"level":"info"}'])
      readLogLine(line).should.deepEqual({ level: 'warn', message: line });
  });
});
