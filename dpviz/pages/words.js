// A message of `dpviz.words` with its values; a page brings those that its scripts say.
window.dpvizSay = (name, values = {}) => {
  const told = window.dpvizWords[name];
  const message = told[values.count === 1 ? "one" : "other"] ?? told;
  return message.replace(/\{(\w+)\}/g, (_, value) => values[value]);
};
