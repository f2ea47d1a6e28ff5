// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReputationRegistry} from "../src/registries/ReputationRegistry.sol";
import {SignedCalls} from "../src/registries/SignedCalls.sol";
import {RegistryFixture} from "./support/RegistryFixture.sol";
import {vm} from "./support/Vm.sol";

contract SignedCallsTest is RegistryFixture {
    bytes private constant REGISTER = abi.encodeWithSignature("register(string)", "uri");

    function testFuzz_theSignerIsTheCaller(uint64 seed, bytes32 nonce) public {
        uint256 key = 1 + uint256(seed);
        address signer = vm.addr(key);
        SignedCalls.Call memory signedCall = callOf(signer, address(identities), REGISTER, nonce);
        bytes memory answer = send(signedCall, sign(key, signedCall));
        vm.assertEq(abi.decode(answer, (uint256)), 1, "agent");
        vm.assertEq(identities.ownerOf(1), signer, "owner");
        vm.assertEq(identities.tokenURI(1), "uri", "uri");
        vm.assertTrue(calls.isNonceUsed(signer, nonce), "used");
    }

    function test_aNonceWorksOncePerSigner() public {
        SignedCalls.Call memory first = callOf(ALICE, address(identities), REGISTER, "2");
        bytes memory signature = sign(ALICE_KEY, first);
        send(first, signature);
        vm.expectRevert(abi.encodeWithSelector(SignedCalls.NonceUsed.selector, ALICE, bytes32("2")));
        send(first, signature);
        // Another call under the same nonce is refused as well, and another signer's is not; nonces have no order.
        SignedCalls.Call memory other = callOf(ALICE, address(identities), abi.encodeWithSignature("register()"), "2");
        signature = sign(ALICE_KEY, other);
        vm.expectRevert(abi.encodeWithSelector(SignedCalls.NonceUsed.selector, ALICE, bytes32("2")));
        send(other, signature);
        SignedCalls.Call memory bobs = callOf(BOB, address(identities), REGISTER, "2");
        send(bobs, sign(BOB_KEY, bobs));
        SignedCalls.Call memory earlier = callOf(ALICE, address(identities), REGISTER, "1");
        send(earlier, sign(ALICE_KEY, earlier));
        vm.assertEq(identities.balanceOf(ALICE), 2, "two of hers");
    }

    /// Whatever a relayer changes, the signature is none for it.
    function testFuzz_changedCallsAreRefused(uint8 field, uint160 change) public {
        SignedCalls.Call memory signedCall = callOf(ALICE, address(identities), REGISTER, "nonce");
        bytes memory signature = sign(ALICE_KEY, signedCall);
        bytes32 other = keccak256(abi.encode(change));
        uint256 which = field % 6;
        if (which == 0) signedCall.from = address(uint160(uint256(other)));
        if (which == 1) signedCall.to = address(reputations);
        if (which == 2) signedCall.data = abi.encodeWithSignature("register(string)", change);
        if (which == 3) signedCall.nonce = other;
        if (which == 4) signedCall.deadline += 1 + uint256(change);
        if (which == 5) signedCall.relayer = address(uint160(uint256(other)));
        vm.prank(signedCall.relayer);
        vm.expectRevert(SignedCalls.WrongCallSignature.selector);
        calls.execute(signedCall, signature);
    }

    function test_onlyTheNamedRelayerSends() public {
        SignedCalls.Call memory signedCall = callOf(ALICE, address(identities), REGISTER, "nonce");
        bytes memory signature = sign(ALICE_KEY, signedCall);
        vm.prank(STRANGER);
        vm.expectRevert(abi.encodeWithSelector(SignedCalls.NotRelayer.selector, STRANGER));
        calls.execute(signedCall, signature);
        vm.prank(ALICE);
        vm.expectRevert(abi.encodeWithSelector(SignedCalls.NotRelayer.selector, ALICE));
        calls.execute(signedCall, signature);
    }

    function test_aCallHasItsTimeContractAndChain() public {
        SignedCalls.Call memory signedCall = callOf(ALICE, address(identities), REGISTER, "nonce");
        bytes memory signature = sign(ALICE_KEY, signedCall);
        vm.warp(signedCall.deadline + 1);
        vm.expectRevert(abi.encodeWithSelector(SignedCalls.CallExpired.selector, signedCall.deadline));
        send(signedCall, signature);
        vm.warp(signedCall.deadline);
        uint256 chainId = block.chainid;
        vm.chainId(chainId + 1);
        vm.expectRevert(SignedCalls.WrongCallSignature.selector);
        send(signedCall, signature);
        vm.chainId(chainId);
        SignedCalls other = new SignedCalls();
        vm.prank(RELAYER);
        vm.expectRevert(SignedCalls.WrongCallSignature.selector);
        other.execute(signedCall, signature);
        send(signedCall, signature);
        vm.assertEq(identities.ownerOf(1), ALICE, "in time, here");
    }

    function test_targetsTrustThisContract() public {
        address[3] memory targets = [STRANGER, address(wallet), address(calls)];
        for (uint256 index = 0; index < targets.length; index++) {
            SignedCalls.Call memory signedCall = callOf(ALICE, targets[index], "", "nonce");
            bytes memory signature = sign(ALICE_KEY, signedCall);
            vm.expectRevert(abi.encodeWithSelector(SignedCalls.TargetNotAllowed.selector, targets[index]));
            send(signedCall, signature);
        }
    }

    function test_aRefusalIsTheTargetsOwnAndUsesNoNonce() public {
        register(ALICE);
        bytes memory data = abi.encodeCall(reputations.giveFeedback, (1, 5, 0, "", "", "", "", ""));
        SignedCalls.Call memory signedCall = callOf(ALICE, address(reputations), data, "nonce");
        bytes memory signature = sign(ALICE_KEY, signedCall);
        vm.expectRevert(abi.encodeWithSelector(ReputationRegistry.OwnAgent.selector, ALICE, 1));
        send(signedCall, signature);
        vm.assertFalse(calls.isNonceUsed(ALICE, "nonce"), "unused");
    }

    function test_aWalletWithCodeSigns() public {
        SignedCalls.Call memory signedCall = callOf(address(wallet), address(identities), REGISTER, "nonce");
        send(signedCall, sign(KEEPER_KEY, signedCall));
        vm.assertEq(identities.ownerOf(1), address(wallet), "owner");
    }

    /// Twenty bytes behind a call of somebody's own say nothing.
    function test_nobodyElseSaysWhoCalls() public {
        vm.prank(STRANGER);
        (bool success,) = address(identities).call(abi.encodePacked(abi.encodeWithSignature("register()"), ALICE));
        vm.assertTrue(success, "registered");
        vm.assertEq(identities.ownerOf(1), STRANGER, "who really called");
    }

    /// Every registry takes the signer for the caller, in everything it asks about callers.
    function test_allRegistriesTakeSignedCalls() public {
        forward(ALICE_KEY, address(identities), REGISTER);
        forward(BOB_KEY, address(reputations), abi.encodeCall(reputations.giveFeedback, (1, 5, 0, "a", "", "", "", "")));
        forward(BOB_KEY, address(reputations), abi.encodeCall(reputations.revokeFeedback, (1, 1)));
        forward(ALICE_KEY, address(reputations), abi.encodeCall(reputations.appendResponse, (1, BOB, 1, "uri", "")));
        forward(
            ALICE_KEY, address(validations), abi.encodeCall(validations.validationRequest, (BOB, 1, "uri", "request"))
        );
        forward(
            BOB_KEY,
            address(validations),
            abi.encodeCall(validations.validationResponse, ("request", 100, "uri", "", "tag"))
        );
        forward(ALICE_KEY, address(identities), abi.encodeCall(identities.setAgentURI, (1, "other")));
        forward(ALICE_KEY, address(identities), abi.encodeCall(identities.transferFrom, (ALICE, CAROL, 1)));
        vm.assertEq(identities.ownerOf(1), CAROL, "owner");
        vm.assertEq(identities.tokenURI(1), "other", "uri");
        vm.assertEq(reputations.getClients(1)[0], BOB, "client");
        vm.assertEq(reputations.getResponseCount(1, BOB, 1, only(ALICE)), 1, "response");
        vm.assertEq(validations.validations("request").response, 100, "validation");
    }

    function forward(uint256 key, address to, bytes memory data) private {
        SignedCalls.Call memory signedCall = callOf(vm.addr(key), to, data, keccak256(data));
        send(signedCall, sign(key, signedCall));
    }
}
