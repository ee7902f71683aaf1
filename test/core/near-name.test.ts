// Which name was probably meant.
import { expect, test } from "bun:test";
import { nearest } from "../../src/core/near-name.ts";

test("a small slip is forgiven: a letter swapped, missing, added, changed, or in another case", () => {
  const names = ["get", "set", "delete", "update_customer"];
  expect(nearest("gte", names)).toBe("get");
  expect(nearest("delet", names)).toBe("delete");
  expect(nearest("deletee", names)).toBe("delete");
  expect(nearest("update_custmoer", names)).toBe("update_customer");
  expect(nearest("SET", names)).toBe("set");
});

test("what is far away is not suggested, nor the word itself", () => {
  expect(nearest("send", ["get", "delete"])).toBeUndefined();
  expect(nearest("get", ["get"])).toBeUndefined();
  expect(nearest("x", [])).toBeUndefined();
});
