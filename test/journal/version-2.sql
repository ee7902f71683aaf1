-- A journal as version 2 wrote it: what version-1.sql holds, brought forward.
PRAGMA application_id=1398361665;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO meta VALUES('schema_version','2');
INSERT INTO meta VALUES('mark_secret','b052c8d9939ff411abedabfcd9955f6405e32dcaad2e2dbcd559d3c4b4b7d20b');
CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  payload TEXT,
  payload_digest TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
INSERT INTO events VALUES(1,1700000002000,'journal.created','v1id000000000001','{"key":"v1id000000000001","set":{"created_at":1700000001000,"predecessor":null},"table":"journal"}','e65e7dbfdde2403187d61431c096595da8a6c1163693878abbf9324cab4455ac','0000000000000000000000000000000000000000000000000000000000000000','68d3bb7a7b6ea4da6b6d4fd3169966c8a61027de9385e7353c9163842e241c71');
INSERT INTO events VALUES(2,1700000004000,'run.opened','v1id000000000002','{"key":"v1id000000000002","set":{"client":"{\"name\":\"client\",\"version\":\"1\"}","client_hello":"{\"protocolVersion\":\"2025-11-25\"}","client_process":"null","ended_at":null,"identity":"null","join_key":"\"session\"","kind":"agent","policy_digest":"66e8135baa651dc3543c8820bf6ae7a74496ee58830e548a4b1d8facd3e30938","servers":"[{\"name\":\"crm\",\"source\":{\"kind\":\"command\",\"command\":\"crm\"},\"info\":null,\"process\":null,\"roots\":null}]","started_at":1700000003000,"state":"open","undoes":null},"table":"runs"}','e0774b31d8ee36a307eea22f7ea2ff7383a46e3adab811930a8097642edcc6f4','68d3bb7a7b6ea4da6b6d4fd3169966c8a61027de9385e7353c9163842e241c71','9793a495ef809bd531de46d01bfe0fdfc40868219e7336d9511e5f5bdb82e0c1');
INSERT INTO events VALUES(3,1700000006000,'action.intended','v1id000000000003','{"key":"v1id000000000003","set":{"approval":null,"args":"73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9","call_key":"9fd6fd2ffd299ff3691b5e216c4778afe73ff2b7e23fb14e138b032cfc0994e0","class":"reversible","detail":"null","inverse":"57218195ac265007596d98cf44d3a01c49f9017048348ebebfd033369405bdbc","post_state":"none","read":"f30d51664cb844f462939ec4bdc136bd5c641e9d4e91d5ed7d2f3ac93e5eb97c","reason":null,"received_at":1700000004000,"resources":"[\"crm:c1\"]","rule":"{\"match\":\"crm.update_customer\"}","run":"v1id000000000002","sent_at":1700000005000,"seq":1,"server":"\"crm\"","snapshot":"a331579d70ff6088c2553d906d7420081d8b6da8c62b707223de93bd9aeb5a10","snapshot_state":"present","status":"intended","tool":"\"update_customer\"","undoes":null},"table":"actions"}','3bdef6b20fa7e3e2396f2c39a44975a5d747128de71271492a4a227124289353','9793a495ef809bd531de46d01bfe0fdfc40868219e7336d9511e5f5bdb82e0c1','e8016c85ba9615317ecc4f85f7603c8a521ad700302bd6004dec76f49dbe6236');
INSERT INTO events VALUES(4,1700000008000,'action.applied','v1id000000000003','{"key":"v1id000000000003","set":{"post":"73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9","post_state":"present","reason":null,"result":"4062edaf750fb8074e7e83e0c9028c94e32468a8b6f1614774328ef045150f93","settled_at":1700000007000,"status":"applied"},"table":"actions"}','7fceec2772a5a0240ad815fad483b411a2e52d0dce7330a42931b598704638ea','e8016c85ba9615317ecc4f85f7603c8a521ad700302bd6004dec76f49dbe6236','67d31619eb4060e8a7dbf52f729d9a4e33a12478955c5eb597be055df359b704');
INSERT INTO events VALUES(5,1700000010000,'action.held','v1id000000000004','{"key":"v1id000000000004","set":{"args":"73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9","call_key":"9fd6fd2ffd299ff3691b5e216c4778afe73ff2b7e23fb14e138b032cfc0994e0","class":"irreversible","detail":"null","post_state":"none","reason":"unmentioned","received_at":1700000004000,"resources":"[\"crm:c1\"]","rule":"{\"match\":\"crm.update_customer\"}","run":"v1id000000000002","seq":2,"server":"\"crm\"","snapshot_state":"none","status":"held","tool":"\"delete_customer\""},"table":"actions"}','442f61145c90aad5fc4388f778bcae9f1a55455a654bab91ffeafc733e2bd9ae','67d31619eb4060e8a7dbf52f729d9a4e33a12478955c5eb597be055df359b704','86ac3aea402b77cbd5755c9ebbf423fe47d97a811b79ca4dcbe7a599dc821d74');
INSERT INTO events VALUES(6,1700000012000,'decision.hold','v1id000000000004','{"key":"v1id000000000005","set":{"action":"v1id000000000004","expires_at":1700086409000,"kind":"hold","made_at":1700000011000,"made_by":"\"policy\"","reasons":"[\"unmentioned\"]","spent_by":null,"told_at":null},"table":"decisions"}','99e66ee2f02db22aa8e6cc87bf0e02dc0a8e550d61ccdc0f310d9d338d39a482','86ac3aea402b77cbd5755c9ebbf423fe47d97a811b79ca4dcbe7a599dc821d74','2bec301bc225fb9f64d62ca910cd313ec77a94002a20a953839488a5e55eae6c');
INSERT INTO events VALUES(7,1700000014000,'action.approved','v1id000000000004','{"key":"v1id000000000004","set":{"status":"approved"},"table":"actions"}','ccb5060240960191bddafdc09ccf48bf59b9af43601c2e238c0ee6ef35af9ce1','2bec301bc225fb9f64d62ca910cd313ec77a94002a20a953839488a5e55eae6c','7f3c182d59344e7f8fac16e64ea9964e13d8b2d1bc3a674c7730166d4dbddb90');
INSERT INTO events VALUES(8,1700000017000,'decision.allow','v1id000000000004','{"key":"v1id000000000006","set":{"action":"v1id000000000004","expires_at":1700000075000,"kind":"allow","made_at":1700000016000,"made_by":"\"ada\"","reasons":"[]","spent_by":null,"told_at":null},"table":"decisions"}','891396cae9e0d58988ced340ae2b5e75d3f97ab8dd07976c5fe183e4c6a70502','7f3c182d59344e7f8fac16e64ea9964e13d8b2d1bc3a674c7730166d4dbddb90','feb3382c50d5dd06bd4a98b752244aac8c79859a93f01a02ef3b23cdc5ae0341');
INSERT INTO events VALUES(9,1700000019000,'action.intended','v1id000000000007','{"key":"v1id000000000007","set":{"approval":null,"args":"73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9","call_key":"9fd6fd2ffd299ff3691b5e216c4778afe73ff2b7e23fb14e138b032cfc0994e0","class":"reversible","detail":"null","inverse":"57218195ac265007596d98cf44d3a01c49f9017048348ebebfd033369405bdbc","post_state":"none","read":"f30d51664cb844f462939ec4bdc136bd5c641e9d4e91d5ed7d2f3ac93e5eb97c","reason":null,"received_at":1700000004000,"resources":"[\"crm:c2\"]","rule":"{\"match\":\"crm.update_customer\"}","run":"v1id000000000002","sent_at":1700000018000,"seq":3,"server":"\"crm\"","snapshot":"a331579d70ff6088c2553d906d7420081d8b6da8c62b707223de93bd9aeb5a10","snapshot_state":"present","status":"intended","tool":"\"update_customer\"","undoes":null},"table":"actions"}','a8bfed82363ef4141408f272c05279b71562c3e7c3fe431cdb74d96444d5a80b','feb3382c50d5dd06bd4a98b752244aac8c79859a93f01a02ef3b23cdc5ae0341','cba47d1023c42fc5e54bb15257e8ac2206c956449da7c229dc3fdaa59872f4f2');
INSERT INTO events VALUES(10,1700000020000,'action.applied','v1id000000000008','{"key":"v1id000000000008","set":{"args":"73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9","call_key":"9fd6fd2ffd299ff3691b5e216c4778afe73ff2b7e23fb14e138b032cfc0994e0","class":"readonly","detail":"null","post_state":"none","reason":null,"received_at":1700000019000,"resources":"[\"crm:c1\"]","result":"3019e7e4a10f3eb3e297a14d25b64b0d989d5412dcdc5b737355c165ab9f8c67","rule":"{\"match\":\"crm.update_customer\"}","run":"v1id000000000002","seq":4,"server":"\"crm\"","settled_at":1700000019000,"snapshot_state":"none","status":"applied","tool":"\"get_customer\""},"table":"actions"}','2de2c60c29aa1eeaaf30b5cbd82a1780e81bb40be8e5f6c3dddc4bcb0c38304e','cba47d1023c42fc5e54bb15257e8ac2206c956449da7c229dc3fdaa59872f4f2','24603766413c8c007f28e907def59e5af80786177c2b37753ebdf0a38aed5f95');
INSERT INTO events VALUES(11,1700000022000,'run.opened','v1id000000000009','{"key":"v1id000000000009","set":{"client":"{\"name\":\"client\",\"version\":\"1\"}","client_hello":"{\"protocolVersion\":\"2025-11-25\"}","client_process":"null","ended_at":null,"identity":"\"ada\"","join_key":null,"kind":"undo","policy_digest":"66e8135baa651dc3543c8820bf6ae7a74496ee58830e548a4b1d8facd3e30938","servers":"[{\"name\":\"crm\",\"source\":{\"kind\":\"command\",\"command\":\"crm\"},\"info\":null,\"process\":null,\"roots\":null}]","started_at":1700000021000,"state":"open","undoes":"v1id000000000002"},"table":"runs"}','784616bbf5bfe4beda96bb132518d5e1ffa403ffd0008a4f12adbe8c45bf7a82','24603766413c8c007f28e907def59e5af80786177c2b37753ebdf0a38aed5f95','0a427006846fd442849781c6af667888d22874ec7dfb2d46638cd9ccb2fa2060');
INSERT INTO events VALUES(12,1700000024000,'action.intended','v1id000000000010','{"key":"v1id000000000010","set":{"approval":null,"args":"73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9","call_key":"9fd6fd2ffd299ff3691b5e216c4778afe73ff2b7e23fb14e138b032cfc0994e0","class":"reversible","detail":"null","inverse":"57218195ac265007596d98cf44d3a01c49f9017048348ebebfd033369405bdbc","post_state":"none","read":"f30d51664cb844f462939ec4bdc136bd5c641e9d4e91d5ed7d2f3ac93e5eb97c","reason":null,"received_at":1700000004000,"resources":"[\"crm:c1\"]","rule":"{\"match\":\"crm.update_customer\"}","run":"v1id000000000009","sent_at":1700000023000,"seq":1,"server":"\"crm\"","snapshot":"a331579d70ff6088c2553d906d7420081d8b6da8c62b707223de93bd9aeb5a10","snapshot_state":"present","status":"intended","tool":"\"update_customer\"","undoes":"v1id000000000003"},"table":"actions"}','2574df89f7ca8e23ea71cc19f3aa5e7139d0b73a634aca88d30ebc61a2503db5','0a427006846fd442849781c6af667888d22874ec7dfb2d46638cd9ccb2fa2060','50dae3b78c242838c746817d49637fe41b36da99fbbab5f64161fde9e114dd40');
INSERT INTO events VALUES(13,1700000025000,'action.undoing','v1id000000000003','{"key":"v1id000000000003","set":{"reason":null,"status":"undoing"},"table":"actions"}','b6210aa8f39c818ff1d50c45c3e5703cde6fb107c92df6c5f8c4addc8383a688','50dae3b78c242838c746817d49637fe41b36da99fbbab5f64161fde9e114dd40','28fabfd3230811002df9a183376ba3c0a5225ba36b46674b5c0f486695dc806e');
INSERT INTO events VALUES(14,1700000027000,'action.applied','v1id000000000010','{"key":"v1id000000000010","set":{"reason":null,"result":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","settled_at":1700000026000,"status":"applied"},"table":"actions"}','6f45e67bc458202bfe6445567f440ef951eb33b08a779a68851f32cdb1812bf5','28fabfd3230811002df9a183376ba3c0a5225ba36b46674b5c0f486695dc806e','e362a5b64a60bbe478b2ee3781d4c121a3cf283b2e6b77d41bd684b2a9891a17');
INSERT INTO events VALUES(15,1700000028000,'action.undone','v1id000000000003','{"key":"v1id000000000003","set":{"reason":"put-back","status":"undone"},"table":"actions"}','36016d719a10f9f7a4e3d864d24aee39404848cffa214a6e81c4efcad419802a','e362a5b64a60bbe478b2ee3781d4c121a3cf283b2e6b77d41bd684b2a9891a17','6e05d227097114bd2cc030daa7ce70a70d4cc624463598b897e21cefdb29062e');
INSERT INTO events VALUES(16,1700000030000,'run.ended','v1id000000000009','{"key":"v1id000000000009","set":{"ended_at":1700000029000,"state":"ended"},"table":"runs"}','4a2a9df24a86b4199eedb2550f241b4b655f256568faac07aff37411c1182c49','6e05d227097114bd2cc030daa7ce70a70d4cc624463598b897e21cefdb29062e','f67fb5e2eb1cfc2660f0684fa84e5b3398613a8c4383a52faee2a44065e89c33');
INSERT INTO events VALUES(17,1700000032000,'action.unknown','v1id000000000007','{"key":"v1id000000000007","set":{"reason":"process-ended","settled_at":1700000031000,"status":"unknown"},"table":"actions"}','21696355db6a55ea2075491150d41a16530582a1882eadcf069402187ab07d0e','f67fb5e2eb1cfc2660f0684fa84e5b3398613a8c4383a52faee2a44065e89c33','148a5ef8f70376ce85bf56d8cc057a2d67560523b680e38ca2180028ccfb01ff');
INSERT INTO events VALUES(18,1700000033000,'run.ended','v1id000000000002','{"key":"v1id000000000002","set":{"ended_at":1700000031000,"state":"partial"},"table":"runs"}','6d39d2aa9818917d1659572cec3416026f16124cb34a96e1ecd6ca8d5bf676e0','148a5ef8f70376ce85bf56d8cc057a2d67560523b680e38ca2180028ccfb01ff','c865b3cd212cfa84cc99e996a11d8092efacd0cd12a924f298fb1efbd5c5d2df');
CREATE TABLE blobs (
  digest TEXT PRIMARY KEY,
  encoding TEXT NOT NULL CHECK (encoding IN ('json', 'zstd')),
  content BLOB NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO blobs VALUES('3019e7e4a10f3eb3e297a14d25b64b0d989d5412dcdc5b737355c165ab9f8c67','json',X'7b226e616d65223a226f6c64227d');
INSERT INTO blobs VALUES('4062edaf750fb8074e7e83e0c9028c94e32468a8b6f1614774328ef045150f93','json',X'7b226f6b223a747275657d');
INSERT INTO blobs VALUES('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a','json',X'7b7d');
INSERT INTO blobs VALUES('57218195ac265007596d98cf44d3a01c49f9017048348ebebfd033369405bdbc','json',X'7b2261726773223a7b226964223a226331222c226e616d65223a226f6c64227d2c22736572766572223a2263726d222c22746f6f6c223a227570646174655f637573746f6d6572227d');
INSERT INTO blobs VALUES('66e8135baa651dc3543c8820bf6ae7a74496ee58830e548a4b1d8facd3e30938','json',X'2276657273696f6e3a20315c6e22');
INSERT INTO blobs VALUES('73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9','json',X'7b226964223a226331222c226e616d65223a226e6577227d');
INSERT INTO blobs VALUES('a331579d70ff6088c2553d906d7420081d8b6da8c62b707223de93bd9aeb5a10','json',X'7b226964223a226331222c226e616d65223a226f6c64227d');
INSERT INTO blobs VALUES('f30d51664cb844f462939ec4bdc136bd5c641e9d4e91d5ed7d2f3ac93e5eb97c','json',X'7b2261726773223a7b226964223a226331227d2c22746f6f6c223a226765745f637573746f6d6572227d');
CREATE TABLE journal (
  id TEXT PRIMARY KEY,
  event INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  predecessor TEXT
) STRICT;
INSERT INTO journal VALUES('v1id000000000001',1,1700000001000,NULL);
CREATE TABLE holders (
  run TEXT NOT NULL,
  pid INTEGER NOT NULL,
  start_ticks TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  PRIMARY KEY (run, pid, start_ticks, boot_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE decisions (
  id TEXT PRIMARY KEY,
  event INTEGER NOT NULL,
  action TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (CASE kind WHEN 'allow' THEN 1 WHEN 'hold' THEN 1 WHEN 'deny' THEN 1 WHEN 'repair' THEN 1 ELSE kind IS NULL END),
  made_by TEXT NOT NULL,
  reasons TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  expires_at INTEGER,
  spent_by TEXT,
  told_at INTEGER
) STRICT;
INSERT INTO decisions VALUES('v1id000000000005',6,'v1id000000000004','hold','"policy"','["unmentioned"]',1700000011000,1700086409000,NULL,NULL);
INSERT INTO decisions VALUES('v1id000000000006',8,'v1id000000000004','allow','"ada"','[]',1700000016000,1700000075000,NULL,NULL);
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  event INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (CASE kind WHEN 'agent' THEN 1 WHEN 'undo' THEN 1 WHEN 'redo' THEN 1 ELSE kind IS NULL END),
  state TEXT NOT NULL CHECK (CASE state WHEN 'open' THEN 1 WHEN 'ended' THEN 1 WHEN 'undone' THEN 1 WHEN 'partial' THEN 1 ELSE state IS NULL END),
  join_key TEXT,
  client TEXT NOT NULL,
  client_process TEXT NOT NULL,
  client_hello TEXT NOT NULL,
  identity TEXT NOT NULL,
  policy_digest TEXT NOT NULL,
  servers TEXT NOT NULL,
  undoes TEXT,
  plan TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
INSERT INTO runs VALUES('v1id000000000002',2,'agent','partial','"session"','{"name":"client","version":"1"}','null','{"protocolVersion":"2025-11-25"}','null','66e8135baa651dc3543c8820bf6ae7a74496ee58830e548a4b1d8facd3e30938','[{"name":"crm","source":{"kind":"command","command":"crm"},"info":null,"process":null,"roots":null}]',NULL,NULL,1700000003000,1700000031000);
INSERT INTO runs VALUES('v1id000000000009',11,'undo','ended',NULL,'{"name":"client","version":"1"}','null','{"protocolVersion":"2025-11-25"}','"ada"','66e8135baa651dc3543c8820bf6ae7a74496ee58830e548a4b1d8facd3e30938','[{"name":"crm","source":{"kind":"command","command":"crm"},"info":null,"process":null,"roots":null}]','v1id000000000002',NULL,1700000021000,1700000029000);
CREATE TABLE actions (
  id TEXT PRIMARY KEY,
  event INTEGER NOT NULL,
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  class TEXT NOT NULL CHECK (CASE class WHEN 'readonly' THEN 1 WHEN 'reversible' THEN 1 WHEN 'compensable' THEN 1 WHEN 'irreversible' THEN 1 ELSE class IS NULL END),
  status TEXT NOT NULL CHECK (CASE status WHEN 'held' THEN 1 WHEN 'approved' THEN 1 WHEN 'denied' THEN 1 WHEN 'expired' THEN 1 WHEN 'intended' THEN 1 WHEN 'applied' THEN 1 WHEN 'failed' THEN 1 WHEN 'unknown' THEN 1 WHEN 'undoing' THEN 1 WHEN 'undone' THEN 1 WHEN 'stuck' THEN 1 WHEN 'permanent' THEN 1 ELSE status IS NULL END),
  reason TEXT CHECK (CASE reason WHEN 'unmentioned' THEN 1 WHEN 'gate-always' THEN 1 WHEN 'on-write' THEN 1 WHEN 'state-absent' THEN 1 WHEN 'tool-unlisted' THEN 1 WHEN 'ambiguous-call' THEN 1 WHEN 'by-person' THEN 1 WHEN 'by-policy' THEN 1 WHEN 'snapshot-failed' THEN 1 WHEN 'not-text' THEN 1 WHEN 'resource-unclear' THEN 1 WHEN 'journal-refused' THEN 1 WHEN 'undo-under-way' THEN 1 WHEN 'tool-error' THEN 1 WHEN 'tool-error-unverified' THEN 1 WHEN 'declared-failure' THEN 1 WHEN 'protocol-error' THEN 1 WHEN 'not-sent' THEN 1 WHEN 'cancelled-before-sending' THEN 1 WHEN 'reply-lost' THEN 1 WHEN 'server-ended' THEN 1 WHEN 'process-ended' THEN 1 WHEN 'post-state-unreadable' THEN 1 WHEN 'task-pending' THEN 1 WHEN 'irreversible' THEN 1 WHEN 'result-path-missing' THEN 1 WHEN 'not-captured' THEN 1 WHEN 'drift' THEN 1 WHEN 'read-back-differs' THEN 1 WHEN 'inverse-failed' THEN 1 WHEN 'read-back-failed' THEN 1 WHEN 'already-so' THEN 1 WHEN 'deleted-since' THEN 1 WHEN 'no-trace' THEN 1 WHEN 'put-back' THEN 1 WHEN 'compensated' THEN 1 WHEN 'overwritten' THEN 1 WHEN 'merged' THEN 1 WHEN 'redone' THEN 1 WHEN 'resolved-by-person' THEN 1 ELSE reason IS NULL END),
  detail TEXT NOT NULL,
  rule TEXT NOT NULL,
  call_key TEXT NOT NULL,
  resources TEXT NOT NULL,
  args TEXT NOT NULL,
  read TEXT,
  snapshot_state TEXT NOT NULL CHECK (CASE snapshot_state WHEN 'none' THEN 1 WHEN 'present' THEN 1 WHEN 'absent' THEN 1 ELSE snapshot_state IS NULL END),
  snapshot TEXT,
  post_state TEXT NOT NULL CHECK (CASE post_state WHEN 'none' THEN 1 WHEN 'present' THEN 1 WHEN 'absent' THEN 1 ELSE post_state IS NULL END),
  post TEXT,
  result TEXT,
  inverse TEXT,
  undoes TEXT,
  approval TEXT,
  received_at INTEGER NOT NULL,
  sent_at INTEGER,
  settled_at INTEGER
) STRICT;
INSERT INTO actions VALUES('v1id000000000003',3,'v1id000000000002',1,'"crm"','"update_customer"','reversible','undone','put-back','null','{"match":"crm.update_customer"}','9fd6fd2ffd299ff3691b5e216c4778afe73ff2b7e23fb14e138b032cfc0994e0','["crm:c1"]','73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9','f30d51664cb844f462939ec4bdc136bd5c641e9d4e91d5ed7d2f3ac93e5eb97c','present','a331579d70ff6088c2553d906d7420081d8b6da8c62b707223de93bd9aeb5a10','present','73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9','4062edaf750fb8074e7e83e0c9028c94e32468a8b6f1614774328ef045150f93','57218195ac265007596d98cf44d3a01c49f9017048348ebebfd033369405bdbc',NULL,NULL,1700000004000,1700000005000,1700000007000);
INSERT INTO actions VALUES('v1id000000000004',5,'v1id000000000002',2,'"crm"','"delete_customer"','irreversible','approved','unmentioned','null','{"match":"crm.update_customer"}','9fd6fd2ffd299ff3691b5e216c4778afe73ff2b7e23fb14e138b032cfc0994e0','["crm:c1"]','73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9',NULL,'none',NULL,'none',NULL,NULL,NULL,NULL,NULL,1700000004000,NULL,NULL);
INSERT INTO actions VALUES('v1id000000000007',9,'v1id000000000002',3,'"crm"','"update_customer"','reversible','unknown','process-ended','null','{"match":"crm.update_customer"}','9fd6fd2ffd299ff3691b5e216c4778afe73ff2b7e23fb14e138b032cfc0994e0','["crm:c2"]','73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9','f30d51664cb844f462939ec4bdc136bd5c641e9d4e91d5ed7d2f3ac93e5eb97c','present','a331579d70ff6088c2553d906d7420081d8b6da8c62b707223de93bd9aeb5a10','none',NULL,NULL,'57218195ac265007596d98cf44d3a01c49f9017048348ebebfd033369405bdbc',NULL,NULL,1700000004000,1700000018000,1700000031000);
INSERT INTO actions VALUES('v1id000000000008',10,'v1id000000000002',4,'"crm"','"get_customer"','readonly','applied',NULL,'null','{"match":"crm.update_customer"}','9fd6fd2ffd299ff3691b5e216c4778afe73ff2b7e23fb14e138b032cfc0994e0','["crm:c1"]','73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9',NULL,'none',NULL,'none',NULL,'3019e7e4a10f3eb3e297a14d25b64b0d989d5412dcdc5b737355c165ab9f8c67',NULL,NULL,NULL,1700000019000,NULL,1700000019000);
INSERT INTO actions VALUES('v1id000000000010',12,'v1id000000000009',1,'"crm"','"update_customer"','reversible','applied',NULL,'null','{"match":"crm.update_customer"}','9fd6fd2ffd299ff3691b5e216c4778afe73ff2b7e23fb14e138b032cfc0994e0','["crm:c1"]','73986acc7e718528fe249cc4100fb151df40e1a1946d5f4179bd278921ffdba9','f30d51664cb844f462939ec4bdc136bd5c641e9d4e91d5ed7d2f3ac93e5eb97c','present','a331579d70ff6088c2553d906d7420081d8b6da8c62b707223de93bd9aeb5a10','none',NULL,'44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a','57218195ac265007596d98cf44d3a01c49f9017048348ebebfd033369405bdbc','v1id000000000003',NULL,1700000004000,1700000023000,1700000026000);
CREATE TABLE leases (
  key TEXT NOT NULL,
  turn INTEGER NOT NULL,
  pid INTEGER NOT NULL,
  start_ticks TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  PRIMARY KEY (key, turn)
) STRICT, WITHOUT ROWID;
CREATE INDEX decisions_by_action ON decisions (action);
CREATE INDEX runs_by_join_key ON runs (join_key) WHERE join_key IS NOT NULL;
CREATE UNIQUE INDEX runs_by_plan ON runs (plan) WHERE plan IS NOT NULL;
CREATE UNIQUE INDEX actions_by_run ON actions (run, seq);
CREATE INDEX actions_by_call_key ON actions (call_key) WHERE (status = 'held' OR status = 'approved' OR status = 'denied');
CREATE INDEX actions_waiting ON actions (event) WHERE (status = 'held' OR status = 'approved');
CREATE INDEX actions_changing ON actions (event) WHERE class <> 'readonly';
CREATE INDEX actions_changing_by_time ON actions (received_at) WHERE class <> 'readonly';
CREATE INDEX actions_by_undoes ON actions (undoes) WHERE undoes IS NOT NULL;
