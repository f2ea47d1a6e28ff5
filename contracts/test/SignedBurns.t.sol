// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ITokenMessengerV2, SignedBurns} from "../src/bridge/SignedBurns.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {vm} from "./support/Vm.sol";

contract SignedBurnsTest is BridgeFixture {
    bytes private constant BAD_SIGNATURE = "FiatTokenV2: invalid signature";

    SignedBurns private burns;

    event BurnedFor(address indexed payer, bytes32 indexed transferId, address indexed token, uint256 amount);

    function setUp() public override {
        super.setUp();
        burns = new SignedBurns(ITokenMessengerV2(address(base.messenger)));
        // What the fixture signs for.
        token = base.token;
        mintTo(ALICE, 1_000e6);
    }

    function test_anybodySubmitsWhatThePayerSigned() public {
        SignedBurns.Terms memory terms = termsFor(100e6);
        bytes memory signature = signTerms(ALICE_KEY, terms);
        vm.recordLogs();
        vm.prank(STRANGER);
        submit(terms, signature);
        bytes memory sent = lastMessage();
        vm.assertEq(base.token.balanceOf(ALICE), 900e6, "payer");
        vm.assertEq(base.token.balanceOf(address(burns)), 0, "left over");
        vm.assertEq(base.token.allowance(address(burns), address(base.messenger)), 0, "allowance");
        deliver(arc, complete(sent, finalized("nonce")));
        vm.assertEq(arc.token.balanceOf(CAROL), 100e6, "minted");
    }

    function test_itSaysWhoPaid() public {
        SignedBurns.Terms memory terms = termsFor(100e6);
        bytes memory signature = signTerms(ALICE_KEY, terms);
        vm.expectEmit(address(burns));
        emit BurnedFor(ALICE, "id", address(base.token), 100e6);
        submit(terms, signature);
    }

    function test_itWorksOnce() public {
        SignedBurns.Terms memory terms = termsFor(100e6);
        bytes memory signature = signTerms(ALICE_KEY, terms);
        submit(terms, signature);
        vm.expectRevert("FiatTokenV2: authorization is used or canceled");
        submit(terms, signature);
    }

    /// Whatever a relayer changes, the signature is none for it.
    function testFuzz_changedTermsAreRefused(uint8 field, uint160 change) public {
        SignedBurns.Terms memory terms = termsFor(100e6);
        bytes memory signature = signTerms(ALICE_KEY, terms);
        bytes32 other = keccak256(abi.encode(change));
        uint256 which = field % 7;
        if (which == 0) terms.amount = 1 + change % (100e6 - 1);
        if (which == 1) terms.destinationDomain = BASE;
        if (which == 2) terms.mintRecipient = other;
        if (which == 3) terms.destinationCaller = other;
        if (which == 4) terms.maxFee = 1 + change % 1e6;
        if (which == 5) terms.minFinalityThreshold = FAST;
        if (which == 6) terms.transferId = other;
        vm.expectRevert(BAD_SIGNATURE);
        submit(terms, signature);
    }

    function test_theNonceIsOfThisPayerContractAndChain() public {
        SignedBurns.Terms memory terms = termsFor(100e6);
        bytes32 nonce = burns.authorizationNonce(terms, ALICE);
        vm.assertTrue(burns.authorizationNonce(terms, BOB) != nonce, "payer");
        SignedBurns other = new SignedBurns(ITokenMessengerV2(address(base.messenger)));
        vm.assertTrue(other.authorizationNonce(terms, ALICE) != nonce, "contract");
        vm.chainId(block.chainid + 1);
        vm.assertTrue(burns.authorizationNonce(terms, ALICE) != nonce, "chain");
    }

    function test_aRefusedBurnLeavesTheSignatureGood() public {
        SignedBurns.Terms memory terms = termsFor(100e6);
        bytes memory signature = signTerms(ALICE_KEY, terms);
        vm.prank(ADMINISTRATOR);
        base.minter.pause();
        vm.expectRevert("Pausable: paused");
        submit(terms, signature);
        vm.prank(ADMINISTRATOR);
        base.minter.unpause();
        submit(terms, signature);
    }

    /// A messenger that takes less than it was asked to leaves nothing of the payer's money here.
    function test_noRemainderStays() public {
        burns = new SignedBurns(ITokenMessengerV2(address(new IdleMessenger())));
        SignedBurns.Terms memory terms = termsFor(100e6);
        bytes memory signature = signTerms(ALICE_KEY, terms);
        vm.expectRevert(abi.encodeWithSelector(SignedBurns.MoneyLeftOver.selector, 0, 100e6));
        submit(terms, signature);
    }

    function termsFor(uint256 amount) private view returns (SignedBurns.Terms memory) {
        return SignedBurns.Terms(address(base.token), amount, ARC, padded(CAROL), 0, 0, STANDARD, "id");
    }

    function signTerms(uint256 key, SignedBurns.Terms memory terms) private view returns (bytes memory) {
        bytes32 nonce = burns.authorizationNonce(terms, ALICE);
        return packed(key, receiveHash(authorization(ALICE, address(burns), terms.amount, nonce)));
    }

    function submit(SignedBurns.Terms memory terms, bytes memory signature) private {
        burns.depositForBurnWithAuthorization(terms, ALICE, NOW - 1, NOW + 1 hours, signature);
    }
}

contract IdleMessenger {
    function depositForBurn(uint256, uint32, bytes32, address, bytes32, uint256, uint32) external {}
}
