// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MessageTransmitterV2} from "../src/bridge/MessageTransmitterV2.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {vm} from "./support/Vm.sol";

/// Takes messages of any kind, and says whether it did.
contract Recipient {
    bool private takes = true;
    uint256 public finalizedCount;
    uint256 public unfinalizedCount;

    function refuse() external {
        takes = false;
    }

    function handleReceiveFinalizedMessage(uint32, bytes32, uint32, bytes calldata) external returns (bool) {
        finalizedCount++;
        return takes;
    }

    function handleReceiveUnfinalizedMessage(uint32, bytes32, uint32, bytes calldata) external returns (bool) {
        unfinalizedCount++;
        return takes;
    }
}

/// Has no storage, so its code alone can stand at another address.
contract TrustingRecipient {
    function handleReceiveUnfinalizedMessage(uint32, bytes32, uint32, bytes calldata) external pure returns (bool) {
        return true;
    }
}

contract MessageTransmitterTest is BridgeFixture {
    event MessageSent(bytes message);
    event MessageReceived(
        address indexed caller,
        uint32 sourceDomain,
        bytes32 indexed nonce,
        bytes32 sender,
        uint32 indexed finalityThresholdExecuted,
        bytes messageBody
    );

    Recipient private recipient;

    function setUp() public override {
        super.setUp();
        recipient = new Recipient();
    }

    /// 148 bytes before the body, with nonce and executed finality left to the attesters.
    function test_theHeaderHasTheRealLayout() public {
        bytes memory expected = abi.encodePacked(
            hex"00000001",
            hex"00000006",
            hex"0000001a",
            bytes32(0),
            hex"000000000000000000000000",
            ALICE,
            bytes32(uint256(0x1111)),
            bytes32(uint256(0x2222)),
            hex"000003e8",
            hex"00000000",
            hex"c0ffee"
        );
        vm.assertEq(expected.length, 151, "length");
        vm.expectEmit(address(base.transmitter));
        emit MessageSent(expected);
        vm.prank(ALICE);
        base.transmitter.sendMessage(ARC, bytes32(uint256(0x1111)), bytes32(uint256(0x2222)), FAST, hex"c0ffee");
    }

    /// Base transaction 0x262987d9e9cc5a0579f4995da5780e36d826053428281d4a81d3e722012c34e3: 1 USDC to Avalanche, fast, as
    /// the attestation service answered it.
    function test_aMessageOfTheLiveNetworkIsDeliveredWithItsAttestation() public {
        bytes memory message =
            hex"000000010000000600000001be761cca8a69cb0e710f3c765ca929dacd58ab31238952b2889b406f6406866b00000000000000000000000028b5a0e9c621a5badaa536219b3a228c8168cf5d00000000000000000000000028b5a0e9c621a5badaa536219b3a228c8168cf5d0000000000000000000000000000000000000000000000000000000000000000000001f4000003e800000001000000000000000000000000833589fcd6edb6e08f4c7c32d4f71b54bda029130000000000000000000000005c2632cedb167609c7f12e9bbfbc5665cfd66d4000000000000000000000000000000000000000000000000000000000000f42400000000000000000000000005c2632cedb167609c7f12e9bbfbc5665cfd66d4000000000000000000000000000000000000000000000000000000000000000640000000000000000000000000000000000000000000000000000000000000064000000000000000000000000000000000000000000000000000000000388a9f0";
        bytes memory attestation =
            hex"16cb98f66ee534db19669a851eadc319a6da1070a8e8352cd7b6744aa7a6781a6d840dbbe1c69963f3d519bc0a8c1ed5ce5f649c86b4cad008cbca0d097a364a1c121405ac78591a5e279311fe07cf1c0fb89e3ade79ae4082efe67a38be72d7e93854ee341ec9ff80bd87e884dfdc37b6803d0c40ac83a08b9220e26d20b3b6ff1b";
        address[] memory attesters = new address[](2);
        attesters[0] = 0x52Ed4cBff8DcE6A19748043F3240ec03c834bCeF;
        attesters[1] = 0x725b06F73ff761eF5390e39315e2BfbF60d33F96;
        MessageTransmitterV2 avalanche = new MessageTransmitterV2(1, 1, ADMINISTRATOR, attesters, 2, 8192);
        address messenger = 0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d;
        vm.etch(messenger, address(new TrustingRecipient()).code);
        vm.expectEmit(address(avalanche));
        emit MessageReceived(
            address(this),
            BASE,
            0xbe761cca8a69cb0e710f3c765ca929dacd58ab31238952b2889b406f6406866b,
            padded(messenger),
            FAST,
            bodyIn(message)
        );
        avalanche.receiveMessage(message, attestation);
    }

    function test_sendingIsRefused() public {
        vm.expectRevert("Domain is local domain");
        base.transmitter.sendMessage(BASE, padded(CAROL), 0, STANDARD, "");
        vm.expectRevert("Recipient must be nonzero");
        base.transmitter.sendMessage(ARC, 0, 0, STANDARD, "");
        bytes memory large = new bytes(8193);
        vm.expectRevert("Message body exceeds max size");
        base.transmitter.sendMessage(ARC, padded(CAROL), 0, STANDARD, large);
        vm.prank(ADMINISTRATOR);
        base.transmitter.setMaxMessageBodySize(8193);
        base.transmitter.sendMessage(ARC, padded(CAROL), 0, STANDARD, large);
    }

    function test_aMessageIsDeliveredOnce() public {
        bytes memory message = messageFor(arc, "nonce", STANDARD, 0);
        vm.expectEmit(address(arc.transmitter));
        emit MessageReceived(STRANGER, BASE, "nonce", padded(ALICE), STANDARD, "body");
        vm.prank(STRANGER);
        vm.assertTrue(arc.transmitter.receiveMessage(message, attest(message)), "answer");
        vm.assertEq(recipient.finalizedCount(), 1, "delivered");
        vm.assertEq(arc.transmitter.usedNonces("nonce"), arc.transmitter.NONCE_USED(), "nonce");
        refuses(message, attest(message), "Nonce already used");
    }

    /// A nonce is one message, whatever else the attesters sign under it.
    function test_anotherMessageWithAUsedNonceIsRefused() public {
        deliver(arc, messageFor(arc, "nonce", STANDARD, 0));
        bytes memory other = messageFor(arc, "nonce", FAST, 0);
        refuses(other, attest(other), "Nonce already used");
    }

    function test_aMessageWithoutANonceIsRefused() public {
        bytes memory message = messageFor(arc, 0, STANDARD, 0);
        refuses(message, attest(message), "Nonce already used");
    }

    function test_finalityDecidesHowItIsHandled() public {
        deliver(arc, messageFor(arc, "one", 1999, 0));
        deliver(arc, messageFor(arc, "two", 2000, 0));
        deliver(arc, messageFor(arc, "three", 2001, 0));
        vm.assertEq(recipient.unfinalizedCount(), 1, "unfinalized");
        vm.assertEq(recipient.finalizedCount(), 2, "finalized");
    }

    function test_onlyTheNamedCallerDelivers() public {
        bytes memory message = messageFor(arc, "nonce", STANDARD, padded(ALICE));
        refuses(message, attest(message), "Invalid caller for message");
        vm.prank(ALICE);
        arc.transmitter.receiveMessage(message, attest(message));
    }

    function test_messagesOfOthersAreRefused() public {
        bytes memory message = messageFor(base, "nonce", STANDARD, 0);
        refuses(message, attest(message), "Invalid destination domain");
        message = messageFor(arc, "nonce", STANDARD, 0);
        put(message, 0, hex"00000002");
        refuses(message, attest(message), "Invalid message version");
        message = new bytes(147);
        refuses(message, attest(message), "Invalid message: too short");
    }

    /// What failed once can be delivered later, by anybody.
    function test_aRefusedDeliveryLeavesTheNonceOpen() public {
        recipient.refuse();
        bytes memory finalizedMessage = messageFor(arc, "nonce", STANDARD, 0);
        refuses(finalizedMessage, attest(finalizedMessage), "handleReceiveFinalizedMessage() failed");
        bytes memory fastMessage = messageFor(arc, "nonce", FAST, 0);
        refuses(fastMessage, attest(fastMessage), "handleReceiveUnfinalizedMessage() failed");
        vm.assertEq(arc.transmitter.usedNonces("nonce"), 0, "nonce");
    }

    function test_aPauseStopsBothWaysAndLosesNothing() public {
        bytes memory message = messageFor(arc, "nonce", STANDARD, 0);
        vm.expectRevert("Pausable: caller is not the pauser");
        arc.transmitter.pause();
        vm.prank(ADMINISTRATOR);
        arc.transmitter.pause();
        refuses(message, attest(message), "Pausable: paused");
        vm.expectRevert("Pausable: paused");
        arc.transmitter.sendMessage(BASE, padded(CAROL), 0, STANDARD, "");
        vm.expectRevert("Pausable: caller is not the pauser");
        arc.transmitter.unpause();
        vm.prank(ADMINISTRATOR);
        arc.transmitter.unpause();
        deliver(arc, message);
    }

    function test_anyTwoAttestersSuffice() public {
        bytes memory one = messageFor(arc, "one", STANDARD, 0);
        arc.transmitter.receiveMessage(one, attestBy(one, FIRST_ATTESTER, THIRD_ATTESTER));
        bytes memory two = messageFor(arc, "two", STANDARD, 0);
        arc.transmitter.receiveMessage(two, attestBy(two, SECOND_ATTESTER, THIRD_ATTESTER));
    }

    function test_fewerOrWrongSignaturesAreRefused() public {
        bytes memory message = messageFor(arc, "nonce", STANDARD, 0);
        bytes memory attestation = attest(message);
        refuses(message, "", "Invalid attestation length");
        refuses(message, signatureOver(message, FIRST_ATTESTER), "Invalid attestation length");
        refuses(message, bytes.concat(attestation, attestation), "Invalid attestation length");
        bytes memory twice = signatureOver(message, FIRST_ATTESTER);
        refuses(message, bytes.concat(twice, twice), "Invalid signature order or dupe");
        refuses(message, swapped(attestation), "Invalid signature order or dupe");
        refuses(message, attestBy(message, FIRST_ATTESTER, ALICE_KEY), "Invalid signature: not attester");
    }

    /// No prefix: the hash of the message is what is signed.
    function test_aPrefixedSignatureIsNone() public {
        bytes memory message = messageFor(arc, "nonce", STANDARD, 0);
        bytes memory prefixed = abi.encodePacked("\x19Ethereum Signed Message:\n32", keccak256(message));
        bytes memory attestation = attest(prefixed);
        vm.expectRevert();
        arc.transmitter.receiveMessage(message, attestation);
    }

    function testFuzz_anAlteredMessageIsRefused(uint256 place, uint8 change) public {
        bytes memory message = messageFor(arc, "nonce", STANDARD, 0);
        bytes memory attestation = attest(message);
        uint256 index = place % message.length;
        message[index] = bytes1(uint8(message[index]) ^ (change == 0 ? 1 : change));
        vm.expectRevert();
        arc.transmitter.receiveMessage(message, attestation);
        vm.assertEq(recipient.finalizedCount() + recipient.unfinalizedCount(), 0, "delivered");
    }

    function test_theManagerChangesAttesters() public {
        address first = vm.addr(FIRST_ATTESTER);
        vm.expectRevert("Caller not attester manager");
        arc.transmitter.enableAttester(ALICE);
        vm.expectRevert("Caller not attester manager");
        arc.transmitter.disableAttester(first);
        vm.expectRevert("Caller not attester manager");
        arc.transmitter.setSignatureThreshold(1);
        asManager();
        arc.transmitter.disableAttester(first);
        vm.assertFalse(arc.transmitter.isEnabledAttester(first), "disabled");
        vm.assertEq(arc.transmitter.getNumEnabledAttesters(), 2, "number");
        vm.assertEq(arc.transmitter.getEnabledAttester(0), vm.addr(THIRD_ATTESTER), "moved up");
        bytes memory message = messageFor(arc, "nonce", STANDARD, 0);
        refuses(message, attest(message), "Invalid signature: not attester");
        asManager();
        vm.expectRevert("Signature threshold is too low");
        arc.transmitter.disableAttester(vm.addr(SECOND_ATTESTER));
        asManager();
        arc.transmitter.setSignatureThreshold(1);
        asManager();
        vm.expectRevert("Attester already disabled");
        arc.transmitter.disableAttester(first);
        asManager();
        arc.transmitter.disableAttester(vm.addr(SECOND_ATTESTER));
        asManager();
        vm.expectRevert("Too few enabled attesters");
        arc.transmitter.disableAttester(vm.addr(THIRD_ATTESTER));
        arc.transmitter.receiveMessage(message, signatureOver(message, THIRD_ATTESTER));
    }

    /// The last of the list takes the place of one that is disabled, and can be disabled there.
    function test_anAttesterThatMovedUpCanBeDisabled() public {
        asManager();
        arc.transmitter.setSignatureThreshold(1);
        asManager();
        arc.transmitter.disableAttester(vm.addr(FIRST_ATTESTER));
        asManager();
        arc.transmitter.disableAttester(vm.addr(THIRD_ATTESTER));
        vm.assertFalse(arc.transmitter.isEnabledAttester(vm.addr(THIRD_ATTESTER)), "disabled");
        vm.assertEq(arc.transmitter.getNumEnabledAttesters(), 1, "number");
        vm.assertEq(arc.transmitter.getEnabledAttester(0), vm.addr(SECOND_ATTESTER), "who is left");
    }

    function test_impossibleSettingsAreRefused() public {
        asManager();
        vm.expectRevert("Attester already enabled");
        arc.transmitter.enableAttester(vm.addr(FIRST_ATTESTER));
        asManager();
        vm.expectRevert("New attester must be nonzero");
        arc.transmitter.enableAttester(address(0));
        asManager();
        vm.expectRevert("Invalid signature threshold");
        arc.transmitter.setSignatureThreshold(0);
        asManager();
        vm.expectRevert("New signature threshold too high");
        arc.transmitter.setSignatureThreshold(4);
        asManager();
        vm.expectRevert("Signature threshold already set");
        arc.transmitter.setSignatureThreshold(2);
        vm.expectRevert("New signature threshold too high");
        new MessageTransmitterV2(ARC, 1, ADMINISTRATOR, new address[](0), 1, 8192);
    }

    function test_theOwnerHandsOnRoles() public {
        asManager();
        arc.transmitter.updateAttesterManager(ALICE);
        vm.prank(ALICE);
        arc.transmitter.enableAttester(BOB);
        asManager();
        arc.transmitter.updatePauser(BOB);
        vm.prank(BOB);
        arc.transmitter.pause();
        vm.expectRevert();
        arc.transmitter.updateAttesterManager(STRANGER);
        vm.expectRevert();
        arc.transmitter.updatePauser(STRANGER);
        vm.expectRevert();
        arc.transmitter.setMaxMessageBodySize(1);
        asManager();
        vm.expectRevert("Invalid attester manager address");
        arc.transmitter.updateAttesterManager(address(0));
        asManager();
        vm.expectRevert("Pausable: new pauser is the zero address");
        arc.transmitter.updatePauser(address(0));
    }

    function bodyIn(bytes memory message) private pure returns (bytes memory body) {
        body = new bytes(message.length - 148);
        for (uint256 index = 0; index < body.length; index++) {
            body[index] = message[148 + index];
        }
    }

    function asManager() private {
        vm.prank(ADMINISTRATOR);
    }

    function refuses(bytes memory message, bytes memory attestation, string memory reason) private {
        vm.expectRevert(bytes(reason));
        arc.transmitter.receiveMessage(message, attestation);
    }

    /// From ALICE on Base to `recipient`.
    function messageFor(Side memory side, bytes32 nonce, uint32 finality, bytes32 destinationCaller)
        private
        view
        returns (bytes memory)
    {
        return abi.encodePacked(
            uint32(1),
            BASE,
            side.domain,
            nonce,
            padded(ALICE),
            padded(address(recipient)),
            destinationCaller,
            finality,
            finality,
            "body"
        );
    }

    function swapped(bytes memory attestation) private pure returns (bytes memory other) {
        other = new bytes(130);
        for (uint256 index = 0; index < 65; index++) {
            other[index] = attestation[65 + index];
            other[65 + index] = attestation[index];
        }
    }
}
