// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignedCalls} from "../src/registries/SignedCalls.sol";
import {WalletCalls} from "../src/registries/WalletCalls.sol";
import {DeployedIdentities, DeployedReputations} from "./support/DeployedRegistries.sol";
import {RegistryFixture} from "./support/RegistryFixture.sol";
import {vm} from "./support/Vm.sol";

/// Alice and Bob have the contract as their code, as EIP-7702 gives it to them; Carol has none.
contract WalletCallsTest is RegistryFixture {
    bytes private constant REGISTER = abi.encodeWithSignature("register(string)", "uri");
    bytes4 private constant NO_SIGNATURE = 0xffffffff;
    uint256 private constant CAROL_KEY = 0xca401;

    DeployedIdentities private agents;
    DeployedReputations private ratings;

    function setUp() public override {
        super.setUp();
        calls = new WalletCalls();
        agents = new DeployedIdentities();
        ratings = new DeployedReputations(address(agents));
        vm.etch(ALICE, address(calls).code);
        vm.etch(BOB, address(calls).code);
    }

    function testFuzz_theWalletIsTheCaller(bytes32 nonce) public {
        SignedCalls.Call memory signedCall = callOf(ALICE, address(agents), REGISTER, nonce);
        send(signedCall, sign(ALICE_KEY, signedCall));
        vm.assertEq(agents.ownerOf(0), ALICE, "owner");
        vm.assertTrue(calls.isNonceUsed(ALICE, nonce), "used");
        vm.expectRevert(abi.encodeWithSelector(SignedCalls.NonceUsed.selector, ALICE, nonce));
        send(signedCall, "");
    }

    function test_aRefusalIsTheTargetsOwnAndUsesNoNonce() public {
        SignedCalls.Call memory first = callOf(ALICE, address(agents), REGISTER, "1");
        send(first, sign(ALICE_KEY, first));
        bytes memory data = abi.encodeCall(ratings.giveFeedback, (0, 5, 0, "", "", "", "", ""));
        SignedCalls.Call memory signedCall = callOf(ALICE, address(ratings), data, "2");
        bytes memory signature = sign(ALICE_KEY, signedCall);
        vm.expectRevert(bytes("Self-feedback not allowed"));
        send(signedCall, signature);
        vm.assertFalse(calls.isNonceUsed(ALICE, "2"), "unused");
    }

    function test_anotherSignatureCallsNothing() public {
        SignedCalls.Call memory signedCall = callOf(ALICE, address(agents), REGISTER, "nonce");
        bytes memory signature = sign(BOB_KEY, signedCall);
        vm.expectRevert(SignedCalls.WrongCallSignature.selector);
        send(signedCall, signature);
    }

    /// Where the wallet did not get the code, the transaction fails instead of doing nothing.
    function test_aWalletWithoutTheCodeCallsNothing() public {
        SignedCalls.Call memory signedCall = callOf(vm.addr(CAROL_KEY), address(agents), REGISTER, "nonce");
        bytes memory signature = sign(CAROL_KEY, signedCall);
        vm.expectRevert();
        send(signedCall, signature);
        SignedCalls.Call memory ofContract = callOf(address(wallet), address(agents), REGISTER, "nonce");
        signature = sign(KEEPER_KEY, ofContract);
        vm.expectRevert();
        send(ofContract, signature);
    }

    function testFuzz_nobodyElsePerforms(address caller) public {
        vm.assume(caller != address(calls));
        vm.prank(caller);
        vm.expectRevert(abi.encodeWithSelector(WalletCalls.NotWalletCalls.selector, caller));
        WalletCalls(payable(ALICE)).perform(address(agents), REGISTER);
    }

    /// A wallet is no place where strangers execute what they have signed.
    function test_nothingIsExecutedAtAWallet() public {
        SignedCalls.Call memory signedCall = callOf(BOB, address(agents), REGISTER, "nonce");
        SignedCalls deployed = calls;
        calls = SignedCalls(ALICE);
        bytes memory signature = sign(BOB_KEY, signedCall);
        vm.expectRevert(abi.encodeWithSelector(WalletCalls.NotDeployedHere.selector, ALICE));
        send(signedCall, signature);
        vm.assertFalse(calls.isNonceUsed(BOB, "nonce"), "unused");
        calls = deployed;
    }

    function testFuzz_aWalletSignsWithItsKeyAlone(bytes32 digest, bytes calldata other) public view {
        WalletCalls alice = WalletCalls(payable(ALICE));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ALICE_KEY, digest);
        vm.assertEq(alice.isValidSignature(digest, abi.encodePacked(r, s, v)), alice.isValidSignature.selector, "own");
        (v, r, s) = vm.sign(BOB_KEY, digest);
        vm.assertEq(alice.isValidSignature(digest, abi.encodePacked(r, s, v)), NO_SIGNATURE, "of another");
        vm.assertEq(alice.isValidSignature(digest, other), NO_SIGNATURE, "none");
    }

    function test_aWalletTakesMoney() public {
        (bool success,) = ALICE.call{value: 1}("");
        vm.assertTrue(success, "taken");
        vm.assertEq(ALICE.balance, 1, "balance");
    }
}
