import should from 'should';
import { countOomKills } from '../../../src/service/kernel/oom-kills.js';

describe('countOomKills', () => {
  const count = (files: Record<string, string>) => countOomKills((file) => files[file]);

  it('counts those of a control group of version 2 and of the machine', () => {
    const files = {
      '/proc/self/cgroup': '0::/docker/a\n',
      '/sys/fs/cgroup/docker/a/memory.events': 'low 0\noom 3\noom_kill 2\noom_group_kill 0\n',
      '/proc/vmstat': 'pgfault 7\noom_kill 4\n',
    };
    should(count(files)).equal(6);
  });

  it('counts those of a control group of version 1', () => {
    const files = {
      '/proc/self/cgroup': '4:memory:/a\n0::/\n',
      '/sys/fs/cgroup/memory/a/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
    };
    should(count(files)).equal(1);
  });

  it('returns undefined where the system does not count them', () => {
    should(count({})).equal(undefined);
  });
});
