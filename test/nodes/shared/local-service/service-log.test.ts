import 'should';
import { readLogLine } from '../../../../nodes/shared/local-service/service-log.js';

describe('readLogLine', () => {
  it('gives message and level of a line of the logger, with what belongs to it', () => {
    const line = '{"level":"error","time":1700000000000,"msg":"could not sweep","file":"a.part"}';
    readLogLine(line).should.deepEqual({ level: 'error', message: 'could not sweep {"file":"a.part"}' });
  });

  it('knows the levels that Node-RED does not have', () => {
    readLogLine('{"level":"trace","msg":"m"}').level.should.equal('debug');
    readLogLine('{"level":"fatal","msg":"m"}').level.should.equal('error');
  });

  it('takes what no logger wrote for a warning, as it stands', () => {
    for (const line of ['(node:1) Warning: odd', '{ broken', '{"level":"loud","msg":"m"}', '{"level":"info"}'])
      readLogLine(line).should.deepEqual({ level: 'warn', message: line });
  });
});
