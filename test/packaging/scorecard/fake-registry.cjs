// Loaded before node-red-dev (`node --require`), which asks a catalogue and a registry on the network. Here it asks the ones that the
// test stands in for, at REGISTRY.
const axios = require(require.resolve('axios', { paths: [process.argv[1]] }));

const get = axios.get.bind(axios);
axios.get = (url, ...rest) => get(`${process.env.REGISTRY}${new URL(url).pathname}`, ...rest);
