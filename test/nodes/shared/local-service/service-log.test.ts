import 'should';
import { readLogLine } from '../../../../nodes/shared/local-service/service-log.js';

describe('readLogLine', () => {
  it('returns level and message, followed by the other properties', () => {
    const line = '{"level":"error","time":1700000000000,"msg":"could not sweep","file":"a.part"}';
    readLogLine(line).should.deepEqual({ level: 'error', message: 'could not sweep {"file":"a.part"}' });
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
